"""German: orders are imperatives, or infinitives at the end; umlauts are folded."""

from __future__ import annotations

from cortex_core.extract.grammar import Forms, Grammar, start, whole, within

# Imperatives look like the first person (“nutze”) and infinitives like plurals (“nutzen”), so
# structure does not tell an order: the verbs that developers give orders with are listed.
_IMPERATIVE = (
    r"(?:be)?nutz(?:e|t)?|verwende(?:t)?|schreib(?:e|t)?|mach(?:e|t)?|lass|lasst|fuhr(?:e|t)?"
    r"|pruf(?:e|t)?"
    r"|teste|starte|committe|commite|pushe|merge|deploye|nimm|leg(?:e)?|halte?|achte|stell(?:e)?"
    r"|frag(?:e)?"
    r"|antworte|fug(?:e)?|losch(?:e)?|andere|fass(?:e)?|ruhr(?:e)?|logge|mocke|erstelle"
    r"|aktualisiere"
    r"|beachte|denk(?:e)?|vermeide|ersetze|behalte|setz(?:e)?|importiere|installiere|kommentiere"
    r"|dokumentiere|formatiere|bau(?:e)?|gib|sprich|zeig(?:e)?|erganze|bevorzuge|benenne|nenne"
    r"|speicher(?:e)?|pack(?:e)?|vergiss|bleib(?:e)?|warte|lauf|hor auf|entferne|\w{3,}(?:en|ern"
    r"|eln) sie"
)
_FINITE = (
    r"weil|dass|ob|warum|obwohl|wenn ich|er|es|man|ich|werden|wurden|haben|hatten|sind|waren|wollen"
    r"|konnen|konnten|mochten|scheinen|damals|da ja"
)
_ALWAYS = (
    r"immer|stets|nie|niemals|nie mehr|nie wieder|auf keinen fall|keinesfalls|grundsatzlich"
    r"|jedes mal"
)
_INFINITIVE = r"(?-i:[a-z]{2,}(?:en|ern|eln))"
_USUAL = (
    r"nutzen|verwenden|benutzen|schreiben|speichern|deployen|pushen|mergen|committen|testen|starten"
    r"|bauen|nennen|halten|legen|loggen|mocken|importieren|formatieren|versionieren|generieren"
    r"|setzen"
    r"|arbeiten|machen|entwickeln|unterstutzen|brauchen|haben"
)
_THING = (
    r"(?:commit\w*|push\w*|merge\w*|release\w*|deploy\w*|pr\w*|pull request\w*|anderung\w*|datei\w*"
    r"|funktion\w*|test\w*|migration\w*|branch\w*|antwort\w*|sitzung\w*|aufgabe\w*|endpoint\w*"
    r"|modul\w*)"
)
_HERE = r"(?:projekt\w*|repo\w*|code\w*|dienst\w*|service\w*|app\w*|team\w*|anwendung\w*)"

GRAMMAR = Grammar(
    code="de",
    empty=whole(
        r"der|die|das|den|dem|des|ein|eine|einen|einem|einer|und|oder|aber|nicht|kein|keine|keinen"
        r"|ist|sind"
        r"|es|wir|ich|du|sie|er|man|zu|zum|zur|in|im|an|am|auf|aus|bei|mit|von|vom|fur|fuer|vor"
        r"|nach|so|auch"
        r"|nur|noch|mal|bitte|immer|nie|niemals|dass|wenn|als|wie|was|muss|soll|hat|haben|wird"
        r"|werden|mir"
        r"|mich|dir|dich|uns|unser|unsere|mein|dein|doch|hier|da|das|dies|diese|dieser|merk|ja"
        r"|nein|um"
    ),
    fillers=start(
        r"ok|okay|gut|super|ja|danke|bitte|also|und|aber|ach ja|ubrigens|noch was|hey|hallo|hi"
        r"|genau|prima"
        r"|perfekt|dann|wichtig|claude|achja|alles klar|na gut|so|toll|schon|ps|einfach|auch"
    ),
    remember=start(
        r"(?:bitte )?(?:merk(?:e)? dir|merken sie sich|denk(?:e)? (?:bitte )?(?:dran|daran)"
        r"|behalte? (?:bitte )?im"
        r" (?:kopf|hinterkopf|gedachtnis)|notier(?:e)? dir|vergiss (?:bitte )?nicht"
        r"|beachte(?: bitte)?"
        r"|fur die zukunft|zum merken|speicher(?:e)? (?:dir|im gedachtnis))(?: bitte| das"
        r"| folgendes)*(?:,? dass)?"
    ),
    verb_last=Forms(r" dass$"),
    remember_last=within(
        r"(?:bitte )?(?:merk(?:e)? dir das|behalte das im (?:kopf|hinterkopf)"
        r"|denk(?:e)? (?:bitte )?d(?:a)?ran)"
        r"(?: bitte)?\W*$"
    ),
    remember_that=whole(
        r"(?:bitte )?(?:merk(?:e)? dir das|behalte das im (?:kopf|hinterkopf)"
        r"|denk(?:e)? (?:bitte )?d(?:a)?ran"
        r"|notier(?:e)? dir das|vergiss das nicht)(?: bitte| fur (?:spater|die zukunft))*"
    ),
    informs=start(
        r"zur info|zur information|nur zur info|fyi|zum kontext|als kontext|kontext(?= ?:)"
        r"|zum hintergrund"
        r"|hintergrund(?= ?:)|ich (?:habe )?vergessen(?: zu erwahnen| zu sagen)?"
        r"|damit du(?: es)? wei(?:ss|ß)t|hinweis"
        r"|nur damit du(?: es)? wei(?:ss|ß)t|zur erinnerung|gut zu wissen|falls relevant"
    ),
    standing=within(_ALWAYS, "ausnahmslos", "ohne ausnahme", "unter keinen umstanden"),
    lasting=within(
        r"ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|kunftig|in zukunft|zukunftig|fortan"
        r"|in der regel"
        r"|beim nachsten mal|nachstes mal|(?:nicht|nie|kein\w*) (?:\w+ ){0,3}mehr"
        rf"|(?:vor|nach|bei|in|fur|zu|mit) (?:jed\w+|all\w+) (?:neu\w+ )?{_THING}"
        r"|jedes mal,? (?:wenn|bevor|nachdem)|immer,? wenn"
    ),
    orders=Forms(
        rf"(?:^\W*|[,;:.]\s*|(?<!\w)(?:und|oder|aber|bitte|dann|{_ALWAYS}|kunftig|jetzt|\w+ an"
        rf"|zukunft) )"
        rf"(?:{_IMPERATIVE})(?!\w)"
        rf"|^\W*erst {_INFINITIVE}(?=, (?:wenn|nachdem|sobald)(?!\w))"
        rf"|^(?!.*(?<!\w)(?:{_FINITE})(?!\w)).*(?<!\w)(?:{_ALWAYS}|nicht|kein\w*|nur|zuerst|vorher"
        rf"|bitte|erst"
        rf"|kunftig|jetzt|in zukunft|{_THING})(?!\w).*(?<!\w){_INFINITIVE}(?=\W*$|[,;])"
        r"|(?<!\w)(?:du|ihr|sie|wir|man|ich will,? dass du"
        r"|ich mochte,? dass du) (?:\w+ ){0,2}?(?:muss|musst|mussen"
        r"|soll|sollst|sollen|solltest|sollten|darfst|durfen|darf)(?!\w)"
        r"|(?<!\w)(?:musst du|sollst du|solltest du|darfst du)(?!\w)"
        rf"|(?<!\w)wir (?:{_USUAL}) (?:\w+ ){{0,3}}(?:{_ALWAYS})(?!\w)"
    ),
    forbids=within(
        r"darf(?:st)? (?:\w+ ){0,4}?(?:nicht|nie|kein\w*)|durfen (?:\w+ ){0,4}?(?:nicht|nie"
        r"|kein\w*)"
        r"|verboten|untersagt|vermeide|hor auf|unterlass|finger weg von|lass die finger von"
        r"|blo(?:ss|ß) nicht"
        rf"|(?:{_IMPERATIVE}) (?:\S+ ){{0,6}}?(?:nicht|nie|kein\w*)",
        rf"^(?:bitte )?(?:kein\w*|nicht) (?:\S+ ){{0,6}}?{_INFINITIVE}",
        rf"^(?:bitte )?(?:(?:der|die|das|den) )?\S+ nicht (?!ge\w+en\b){_INFINITIVE}(?=\W*$)",
    ),
    duty=within(
        r"muss|mussen|musst|soll|sollen|sollte|sollten|darf|durfen|nur|ausschlie(?:ss|ß)lich|zwingend"
        r"|pflicht"
        r"|erforderlich|notwendig|verbindlich|braucht|benotigt|verlangt|kein\w* \w+"
    ),
    universal=start(r"alle|jeder|jede|jedes|jeden|jedem|kein|keine|keinen|nur|samtliche"),
    occasion=start(
        r"(?:bevor|nachdem|wenn|sobald) du|beim \w+|(?:vor|nach) (?:dem|der|einem|einer) \w+"
    ),
    condition=within(
        rf"erst (?:{_INFINITIVE},? )?(?:nachdem|wenn|nach|sobald)",
        r"nur (?:nachdem|wenn|nach|falls)",
    ),
    passing=within(r"noch|schon|jetzt|bald|wieder|bereits|kaputt"),
    restates=start(r"(?:die|der|das) (?:ist|sind|wird|werden|gehort|gilt|nutzen|lesen)"),
    names=start(r"(?:(?:sie|er|es|die|der|das) )?(?:hei(?:ss|ß)t|nennt sich)"),
    conventions=within(
        rf"wir (?:\w+ )?(?:{_USUAL})(?: \S+){{1,12}}",
        rf"(?:in diesem|in unserem|im) {_HERE} (?:\S+ ){{0,8}}?(?:wir|gilt|wird|werden|nur"
        rf"|kein\w*)",
        rf"(?:bei uns|hier) (?:\S+ ){{0,6}}?(?:wird|werden|gilt|ist|sind|hei(?:ss|ß)t|hei(?:ss|ß)en"
        rf"|{_USUAL}) (?:\S+ ){{0,8}}?"
        r"(?:nur|kein\w*|immer|nie|mit|uber|in|nach|konvention|standard|regel|ublich)",
        r"(?:lauft|laufen|geht|gehen|macht|machen) (?:bei uns|hier) (?:\S+ ){0,4}?"
        r"(?:uber|mit|nur|per)",
        r"(?:unsere|die) (?:konvention|regel|vorgabe|richtlinie) (?:ist|lautet|hier)",
    ),
    located=within(
        r"liegt|liegen|lauft|laufen|steht|stehen|befindet sich|befinden sich|lauscht|hort auf|wohnt"
        r"|wird (?:\S+ ){0,5}?(?:gespeichert|deployt|gebaut|generiert|gestartet)|erreichbar"
        r"|hei(?:ss|ß)(?:t|en)"
    ),
    replies_in=within(
        r"(?:antworte|antworten|schreib|schreibe|schreiben|sprich|kommuniziere|kommentiere"
        r"|antworten bitte"
        r"|kommentare|commits|commit-(?:nachrichten|messages))\b.{0,40}?"
        r"\bauf (?:deutsch|englisch|franzosisch)"
    ),
    no_longer=within(
        r"(?:nutzen|verwenden|benutzen|brauchen|unterstutzen"
        r"|haben) (?:wir )?(?:\S+ ){0,4}?nicht mehr"
        r"|wird (?:\S+ ){0,4}?nicht mehr (?:\w+)|ist (?:veraltet|abgeschafft|abgelost)"
        r"|gibt es nicht mehr"
        r"|kein\w* \S+ mehr"
    ),
    contrast=within(
        r"statt|anstatt|anstelle von|(?:nicht|kein\w*) [^,]{1,60}, (?:sondern|das ist)|sondern"
        r"|, nicht \S+|, kein\w* \S+"
        r"|und nicht \S+"
    ),
    chooses=start(
        r"(?:lass(?:t)? uns |wir (?:nehmen|sollten) )?(?:nimm|nehmen wir|nehmen|verwende"
        r"|verwenden wir|nutze|nutzen"
        r" wir|benutze|setz(?:e)?|bau(?:e)?|schreib(?:e)?|nenn(?:e)?|leg(?:e)?|speicher(?:e)?"
        r"|lass uns)"
    ),
    prefers=within(
        r"ich (?:\w+ )?(?:bevorzuge|mag (?:es )?lieber|praferiere|hatte lieber|habe lieber"
        r"|finde \S+ besser)"
        r"|wir bevorzugen|ist mir lieber|sind mir lieber|(?:meine|unsere) praferenz|bevorzuge ich"
        r"|lieber (?:\S+ )?als"
        r"|ich mag es,? wenn"
    ),
    wishes=within(
        r"ich (?:\w+ )?(?:will|mochte|hasse|mag) (?:\S+ ){0,4}?(?:kein\w*|nicht)|ich hasse"
        r"|wir wollen (?:\S+ ){0,3}?"
        r"(?:kein\w*|nicht)|kann ich nicht leiden|ich mochte,? dass (?:alle|jed\w+)"
    ),
    decided=within(
        r"(?:wir|das team|ich) (?:haben|hat|habe) (?:uns |mich |\S+ ){0,6}?(?:entschieden|geeinigt"
        r"|beschlossen"
        r"|festgelegt|ausgewahlt|gewahlt)|entschieden wurde|es wurde entschieden"
        r"|wir sind (?:\S+ ){0,4}?umgestiegen"
    ),
    reason=within(
        r"weil|da (?:wir|es|die|der|das|sonst)|damit|denn|wegen|um (?:\S+ ){1,8}?zu|sonst|statt"
        r"|anstatt|aufgrund"
        r"|sodass|so dass|zwecks|ansonsten|deshalb"
    ),
    causes=within(
        r"(?:die |der )?(?:ursache|grund)(?: dafur)? (?:ist|war|liegt|lag)|das problem (?:ist|war"
        r"|liegt|lag)"
        r"|liegt daran,? dass|lag daran,? dass|stellte? sich heraus|verursacht durch"
    ),
    explains=start(r"weil|denn|sonst|der grund|damit|ansonsten|deshalb|deswegen"),
    asks=start(
        r"(?:und |aber |also )?(?:warum|wieso|weshalb|was|wer|wen|wem|wo(?!bei|fur)|wohin|woher"
        r"|wie(?! immer| gesagt"
        r"| ublich)|welche\w*|wann|kannst du|konntest du|konnen wir|sollen wir|sollte ich|soll ich"
        r"|ist (?:das|es|die"
        r"|der)|sind (?:die|das)|hast du|gibt es|wei(?:ss|ß)t du|muss ich"
        r"|mussen wir|darf ich|wird das)"
    ),
    requests=start(r"(?:kannst|konntest|wurdest|willst) du(?: bitte| mal)*|konnen sie(?: bitte)?"),
    one_off=within(
        r"erstmal|erst mal|vorerst|furs erste|im moment|momentan|gerade|grade|derzeit|aktuell"
        r"|heute|morgen|gestern"
        r"|diesmal|dieses mal|ausnahmsweise|vorlaufig|voruebergehend|vorubergehend|spater|gleich"
        r"|danach"
        r"|fur (?:diese\w*|den) (?:aufgabe|branch|commit|pr|datei|sitzung|schritt|fall)"
        r"|in dies\w+ (?:commit|pr"
        r"|branch|fall|sitzung|datei|schritt)|bis ich|wenn du (?:fertig|durch)|sobald (?:du"
        r"|die tests|es|alles)"
        r"|nur (?:lesen|anschauen|analysieren|erklaren)|noch einmal|nochmal|mach weiter|weiter"
        r"|jetzt (?:mal|erst)"
        r"|noch nicht|zuletzt|letzte woche|bevor (?:du|wir) (?:anfang\w*|weiter\w*|beginn\w*)|kurz"
    ),
    hedges=within(
        r"vielleicht|eventuell|moglicherweise|wahrscheinlich|vermutlich|scheint|scheinbar"
        r"|anscheinend|ich glaube"
        r"|ich denke|ich vermute|ich bin (?:mir )?nicht sicher|konnte sein|irgendwie|evtl"
        r"|glaub ich|wohl"
    ),
    pronouns=start(
        rf"(?:(?:und|aber|dann|also|oder) )*(?:das(?! {_HERE})(?= (?:ist|war|muss|soll|darf|kann"
        rf"|geht|sollte|hat|wird))"
        rf"|dies\w*(?! {_HERE})|es|er|sie(?! sollten)|ihn|ihm|ihr|dort|dabei|damit|dazu|davon|so"
        rf"|jene\w*|beide|solche)"
    ),
    away=within(
        r"dies(?:e|er|es|en|em) (?:datei|funktion|fehler|problem|variante|option|ansatz|test|zeile"
        r"|code|button|bug"
        r"|losung|stelle|anderung|branch|commit|methode|idee|teil)\w*",
        r"(?:erste|zweite|dritte|letzte|nachste|vorherige|andere|obere|untere|linke"
        r"|rechte)[nrs]? (?:variante|option"
        r"|ansatz|losung|idee|zeile|button|schritt|punkt|vorschlag)|option \w|variante \w|wie oben"
        r"|wie du"
        r" (?:gesagt|vorgeschlagen) hast|(?:so|das|dies|dort|dazu|dafur|es)\W*$",
    ),
    objection=Forms(
        r"^\W*(?:(?:nein|nee|ne|falsch|stimmt nicht|das stimmt nicht|das ist falsch|nicht ganz"
        r"|eigentlich|quatsch"
        r"|doch nicht|das ist nicht richtig|in wirklichkeit|tatsachlich)(?!\w)"
        r"|(?=nicht [^,]{1,40}, sondern ))"
    ),
    assent=whole(
        r"(?:ja|jap|jo|ok|okay|gut|genau|richtig|stimmt|klar|passt|einverstanden|super|perfekt"
        r"|mach das|mach weiter"
        r"|gerne|weiter|bitte|danke|los|sieht gut aus|in ordnung|alles klar)(?:[\s,.!]+(?:bitte"
        r"|danke|mach(?: das)?"
        r"|weiter|genau|ja|gerne|super))*"
    ),
    agenda=within(
        r"(?:soll|darf|kann) ich (?:\S+ ){0,10}?|mochtest du,? dass ich|weitermachen|fortfahren"
        r"|committen|pushen"
        r"|mergen|was (?:soll ich|als nachstes)|nachste\w* schritt\w*|womit (?:soll ich )?anfangen"
        r"|in ordnung|passt das"
        r"|ist das so (?:richtig|ok)|welche (?:aufgabe|datei|branch)"
    ),
    undecided=whole(
        r"egal|mir egal|wie du willst|entscheide du|deine entscheidung|keine ahnung"
        r"|wei(?:ss|ß) nicht"
        r"|uberspringen|spater"
        r"|beides|nein|nichts|keine praferenz|ist mir egal|du entscheidest"
    ),
    concedes=within(
        r"(?:du hast|sie haben) (?:vollig |absolut |vollkommen |ganz )?recht|mein fehler"
        r"|entschuldig\w+|tut mir leid"
        r"|ich habe mich geirrt|ich lag falsch|danke fur (?:die korrektur|den hinweis"
        r"|die klarstellung)|guter punkt"
        r"|da habe ich (?:mich|etwas)|stimmt,? ich"
    ),
    first_person=within(r"ich|mir|mich|mein\w*|lass uns"),
    second_person=within(r"du|dir|dich|dein\w*|ihr|euch|sie|ihnen|claude"),
    no_access=within(
        r"du (?:hast|hattest) (?:hier |dort )?kein\w* (?:zugriff|zugang|rechte|berechtigung\w*)"
        r"|kannst du (?:hier |dort )?"
        r"nicht|du kannst (?:\S+ ){0,5}?nicht (?:erreichen|ausfuhren|nutzen|zugreifen|sehen)"
        r"|(?:ist|sind) (?:hier |dort )?"
        r"nicht (?:installiert|verfugbar|erreichbar)|(?:hier|auf dieser maschine"
        r"|in der ci) (?:gibt es |lauft )kein\w*"
    ),
    everywhere=within(
        r"in all(?:en)? (?:meinen )?projekten|in jedem projekt|uberall|projektubergreifend|global"
    ),
)
