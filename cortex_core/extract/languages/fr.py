"""French; accents are folded, and “n'” is written with any apostrophe."""

from __future__ import annotations

from cortex_core.extract.grammar import Forms, Grammar, start, whole, within

# “Utilise” is an order and a report alike (“le script utilise toujours”): no ending tells them
# apart, so the verbs of orders are listed, and count only where a clause begins.
_VERB = (
    r"(?:utilis|emploi|employ|lanc|execut|ajout|gard|evit|verifi|test|commit|commite|push|pouss"
    r"|touch|modifi|supprim|demand|laiss|cre|nomm"
    r"|appell|appel|import|install|pens|oubli|document|deploi|deploy|respect|prefer|rest|rang"
    r"|stock|mock|formatt|format|comment|remplac"
    r"|renomm|enleve|enlev|mets-toi|pass|log|valid|travaill|genere|gener|envoi|trait|fusionn|merg"
    r"|chang|tourn|controle|controll|assure)"
    r"(?:e|es|ez|er|ons)(?:-(?:les?|la|moi|toi|vous))?"
    r"|commit|push|merge|deploy|fais|faites|faire|ecris|ecrivez|ecrire|mets|mettez|mettre|prends"
    r"|prenez|prendre|reponds"
    r"|repondez|repondre|suis|suivez|suivre"
    r"|tiens|tenez|tenir|ecrase|dis|dites|dire|cours|ouvre|ouvrez|ouvrir|lis|lisez|lire|va|allez"
    r"|assure-toi|assurez-vous|sois|soyez"
)
_NEVER = r"jamais|en aucun cas|sous aucun pretexte|plus jamais|sous aucune condition"
_CLAUSE = (
    r"(?:^\W*|[,;:.]\s*|(?<!\w)(?:et|ou|mais|que|alors|merci de|s'il te plait|stp|svp|aussi"
    r"|desormais|maintenant|avenir|commit|push|pr"
    r"|deploiement|dorenavant) )"
)
_USUAL = (
    r"utilise|utilisons|ecrit|ecrivons|garde|lance|lancons|teste|testons|deploie|deployons|stocke"
    r"|stockons|nomme|appelle|range|met|mettons"
    r"|travaille|passe|genere|importe|committe|commite|pousse|merge|fait|faisons|execute|supporte"
    r"|versionne|suit"
)
_THING = (
    r"(?:commit\w*|push\w*|merge\w*|release\w*|deploiement\w*|pr\w*|pull request\w*|changement\w*"
    r"|modification\w*|fichier\w*|fonction\w*"
    r"|test\w*|migration\w*|branche\w*|reponse\w*|session\w*|tache\w*|endpoint\w*|module\w*"
    r"|fois que)"
)
_HERE = r"(?:projet|repo\w*|depot|code|service|appli\w*|equipe)"

GRAMMAR = Grammar(
    code="fr",
    empty=whole(
        r"le|la|les|l|un|une|des|du|de|d|et|ou|mais|que|qui|qu|ce|cet|cette|ces|c|il|elle|on|nous"
        r"|vous|je|j|tu|te|t|me|m|ne|n|pas|plus|est"
        r"|sont|a|au|aux|en|dans|par|pour|sur|avec|sans|sous|se|s|si|y|ca|cela|mon|ma|mes|ton|ta"
        r"|tes|son|sa|ses|notre|nos|toujours|jamais"
        r"|faut|etre|avoir|ai|as|quand|comme|aussi|tres|bien|rappelle-toi|souviens-toi|c'est|n'est"
        r"|qu'on|d'un|d'une|ici|tout|tous|toutes"
    ),
    fillers=start(
        r"ok|okay|d'accord|bien|bon|parfait|super|merci|stp|svp|s'il te plait|s'il vous plait"
        r"|aussi|et|mais|alors|ah|au fait|hey|salut|bonjour"
        r"|oui|donc|important|claude|encore une chose|autre chose|par ailleurs|nickel|voila|genial"
        r"|puis"
    ),
    remember=start(
        r"(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|retiens|retenez"
        r"|garde(?:z)? (?:bien )?(?:en tete|a l'esprit|en memoire)"
        r"|n'oublie(?:z)? pas|note(?:z)?(?= (?:bien|que)|\s*:)|prends note"
        r"|pour (?:la prochaine fois|info future|plus tard)|memorise(?:z)?"
        r"|pense bien)(?: de| ceci| bien| ca| s'il te plait| stp| svp)*(?: que| qu')?"
    ),
    remember_last=within(
        r"(?:souviens-t'en|souviens-toi de ca|rappelle-toi de ca|retiens-le|retiens ca"
        r"|retiens bien ca|note-le|garde(?: bien)? ca en (?:tete"
        r"|memoire)|ne l'oublie pas|n'oublie pas ca)(?: stp| svp| s'il te plait)*\W*$"
    ),
    remember_that=whole(
        r"(?:souviens-t'en|souviens-toi de ca|rappelle-toi de ca|retiens-le|retiens ca"
        r"|retiens bien ca|note-le|garde(?: bien)? ca en (?:tete"
        r"|memoire)|ne l'oublie pas|n'oublie pas ca)(?: stp| svp| s'il te plait)*"
    ),
    informs=start(
        r"pour (?:ton |votre )?info(?:rmation)?|fyi|pour contexte|contexte(?= ?:)|pour (?:le "
        r"|donner du )?contexte|j'ai oublie de (?:dire|te dire"
        r"|mentionner|preciser)(?: que| qu')?|a noter(?: que| qu')?|note(?= ?:)|sache que"
        r"|je precise que|je te precise que|pour memoire"
    ),
    standing=within(
        rf"toujours|{_NEVER}|systematiquement|sans exception|a chaque fois|en toutes circonstances"
    ),
    lasting=within(
        r"a partir de maintenant|desormais|dorenavant|a l'avenir|la prochaine fois"
        r"|en regle generale|par la suite|de maniere generale"
        rf"|(?:avant|apres) (?:chaque|tout|toute) {_THING}|(?:dans|pour|a|avec) (?:chaque|tout"
        rf"|toute|tous les|toutes les) (?:nouve\w+ )?"
        rf"{_THING}|chaque fois que|ne (?:\S+ ){{1,3}}plus (?:jamais )?|n'\w+ plus"
    ),
    orders=Forms(
        rf"{_CLAUSE}(?:(?:toujours|systematiquement|jamais|pas|plus) )*"
        rf"(?:(?:ne |n')(?:(?:le|la|les|me|te|se|y|en|nous|jamais|pas|plus) "
        rf"|l')*)?(?:{_VERB})(?!\w)"
        r"|(?<!\w)(?:tu dois|vous devez|il faut|faut|tu devrais|je veux que tu|assure-toi"
        r"|assurez-vous|on doit|nous devons|veille a|veillez a)"
        rf"(?!\w)|(?<!\w)(?:on|nous) (?:ne |n')?(?:{_USUAL}) (?:\w+ ){{0,2}}(?:toujours|jamais"
        rf"|systematiquement)(?!\w)"
        r"|(?<!\w)toujours en (?:anglais|francais)"
    ),
    forbids=within(
        r"interdit|defense de|il ne faut (?:pas|jamais|surtout pas)|faut pas|evite(?:z)?"
        r"|arrete(?:z)? de|tu ne dois (?:pas|jamais)"
        rf"|(?:ne |n')(?:\S+ )?(?:{_VERB}) (?:\S+ )?(?:pas|jamais|plus|aucun\w*|rien)|ne (?:pas"
        rf"|jamais|plus) (?:\S+ )?(?:{_VERB})"
        rf"|^(?:\W*)(?:{_VERB}) (?:surtout )?(?:pas|jamais)"
    ),
    duty=within(
        r"doit|doivent|devons|il faut|faut|obligatoire\w*|requis|requiert|necessite|seulement"
        r"|uniquement|exclusivement|imperativement"
        r"|ne peu(?:t|vent) pas|aucun\w*|est necessaire|besoin d'?"
    ),
    universal=start(
        r"tous|toutes|tout|toute|chaque|aucun|aucune|seul|seule|seuls|seules|uniquement"
        r"|n'importe quel\w*"
    ),
    occasion=start(
        r"(?:quand|lorsque|si) (?:tu|vous) \w+|avant (?:de|d'|un|une|le)|apres (?:avoir|un|une|le)"
        r"|en (?:ecrivant|ajoutant|modifiant|creant)"
    ),
    condition=within(
        r"(?:seulement|uniquement) (?:apres|si|quand|une fois)|qu'(?:apres|une fois|si)"
    ),
    passing=within(r"encore|deja|maintenant|bientot|casse\w*"),
    names=start(r"(?:(?:elle|il|ca) )?s'appelle(?:nt)?"),
    conventions=within(
        rf"(?:on|nous) (?:n'|ne )?(?:{_USUAL}) (?:\S+ ){{0,6}}?(?:au lieu de|plutot que|et pas|pas"
        rf"|avec|via|pour|dans|par|en|sur|uniquement"
        r"|seulement|comme)",
        rf"(?:ici|chez nous|(?:dans|sur) (?:ce|notre|le) {_HERE}),? (?:\S+ ){{0,6}}?(?:on|nous"
        rf"|uniquement|convention|regle|pas de)",
        r"(?:notre|la) (?:convention|regle)(?: ici)? (?:est|c'est)|par convention",
    ),
    located=within(
        r"se trouve(?:nt)?|est (?:dans|sur|dispo\w*|heberge\w*|stocke\w*|deploye\w*|genere\w*)"
        r"|sont (?:dans|sur|stocke\w*|genere\w*)|tourne(?:nt)?"
        r" (?:sur|dans|en)|ecoute (?:sur|le port)|s'appelle(?:nt)?|vit dans|vivent dans"
        r"|pointe (?:vers|sur)|se lance avec"
    ),
    replies_in=within(
        r"(?:reponds(?:-moi)?|repondez|ecris|parle(?:-moi)?|commente|redige|reponses|commentaires"
        r"|commits|messages)\b.{0,40}?"
        r"\ben (?:francais|anglais)"
    ),
    no_longer=within(
        rf"(?:on|nous) n'?e? ?(?:{_USUAL}|a|avons) plus|n'est plus (?:utilise\w*|supporte\w*"
        rf"|maintenu\w*|necessaire)|ne sert plus"
        r"|n'existe plus|est obsolete|sont obsoletes|a ete (?:abandonne\w*"
        r"|supprime\w* definitivement)|n'utilise(?:ns)? plus"
    ),
    contrast=within(
        r"au lieu d(?:e|'\w+)|plutot que|a la place d(?:e|'\w+)|pas [^,]{1,60}, (?:mais|c'est)"
        r"|et pas|et non"
        r"|, pas \S+|non pas"
    ),
    chooses=start(
        r"(?:utilise(?:z)?|utilisons|prends|prenons|partons sur|on part sur|restons sur|mets|nomme"
        r"|appelle|stocke|ecris|choisis|passe a"
        r"|utiliser|on va utiliser)"
    ),
    prefers=within(
        r"je (?:\w+ )?prefere(?:rais)?|nous preferons|on prefere|ma preference|j'aime (?:mieux"
        r"|bien quand|quand)|j'aimerais autant"
    ),
    wishes=within(
        r"je ne veux (?:pas|plus|aucun\w*)|je veux pas|on ne veut (?:pas|plus)|je deteste"
        r"|j'ai horreur|je n'aime pas|j'aime pas"
        r"|je veux que (?:tout|tous|toutes|chaque|le code|les)"
    ),
    decided=within(
        r"(?:on a|nous avons|j'ai|l'equipe a) (?:\w+ )?(?:decide|choisi|convenu|opte pour|tranche"
        r"|retenu|abandonne)|on est (?:parti|passe)s? (?:sur|a)"
        r"|il a ete decide|on s'est mis d'accord"
    ),
    reason=within(
        r"parce qu(?:e|'\w+)|car|puisque|pour que|afin (?:de|que)|a cause d(?:e|'\w+)|sinon"
        r"|pour (?:eviter"
        r"|garder|ne pas|rester|simplifier|limiter)|au lieu"
        r"|plutot que|grace a|vu que|etant donne"
    ),
    causes=within(
        r"la cause (?:\w+ )?(?:est|etait|vient)|le probleme (?:est|etait|vient|venait)"
        r"|c'est du au fait|vient du fait"
        r"|venait du fait|il s'avere que|echoue parce que|cause par"
    ),
    explains=start(r"parce qu(?:e|')|car|sinon|puisque|la raison|comme ca|ainsi", spaced=False),
    asks=start(
        r"(?:et |mais |alors )?(?:qu'est-ce|est-ce|pourquoi|comment|quel\w*|qui(?! )|ou (?:est"
        r"|sont|se)|quand est|combien|peux-tu|pourrais-tu"
        r"|pouvez-vous|pourriez-vous|tu peux|tu pourrais|peut-on|on peut|doit-on|faut-il|y a-t-il"
        r"|as-tu|sais-tu|c'est quoi|que faire)"
    ),
    requests=start(
        r"(?:peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|tu peux|tu pourrais)(?: stp"
        r"| s'il te plait)?"
    ),
    one_off=within(
        r"pour l'instant|pour le moment|en ce moment|tout de suite|aujourd'hui|demain|hier"
        r"|cette fois|temporairement|provisoirement|plus tard"
        r"|ensuite|actuellement|pas encore|d'abord (?:lis|regarde|explique)"
        r"|(?:dans|pour|sur) (?:ce|cet|cette) (?:tache|branche|commit|pr|fichier|session"
        r"|changement|cas|etape|fonctionnalite)"
        r"|jusqu'a ce que|quand (?:tu as fini|tu auras|c'est|tout|les tests)|une fois (?:que|fini"
        r"|termine)|des que (?:tu|les|c'est)"
        r"|avant de (?:commencer|continuer)|(?:juste|seulement) (?:lire|lis|regarde|analyse"
        r"|explique|reponds)|encore une fois|a nouveau"
        r"|continue(?:z)?|vas-y|la semaine derniere|maintenant (?:fais|lance|ajoute)"
    ),
    hedges=within(
        r"peut-etre|il se peut|on dirait|il semble|semble|je crois|je pense|je suppose"
        r"|probablement|sans doute|eventuellement|pas sur|je ne sais pas"
        r"|j'imagine|apparemment|pourrait"
    ),
    pronouns=start(
        rf"(?:(?:et|mais|donc|alors) )*(?:(?:ce|cet|cette|ces)(?! {_HERE})|c'est|c'etait|ca|cela"
        rf"|ceci|il(?! faut| ne faut| est (?:interdit|important))"
        r"|elle|ils|elles|celui\w*|celle\w*|ceux|la-dedans|la-bas|les deux|pareil)"
    ),
    away=within(
        r"(?:ce|cet|cette|ces) (?:fichier|fonction|erreur|probleme|option|approche|test|ligne|code"
        r"|bouton|bug|solution|partie|changement|branche"
        r"|commit|methode|idee)\w*",
        r"(?:premier\w*|deuxieme|seconde?|troisieme|dernier\w*|prochain\w*|precedent\w*"
        r"|autre) (?:option|approche|solution|idee|ligne|bouton|etape"
        r"|point|proposition|fichier)|(?:option|solution|proposition) (?:\d|[a-d])"
        r"|comme (?:ci-dessus|tu as dit)|(?:ca|cela|ici|comme ca)\W*$",
    ),
    objection=Forms(
        r"^\W*(?:(?:non|faux|incorrect|c'est faux|ce n'est pas (?:vrai|correct|ca)|c'est pas ca"
        r"|pas tout a fait|en fait|en realite|tu te trompes"
        r"|erreur)(?!\w)|(?=(?:ce n'est |c'est )?pas [^,]{1,40}, (?:mais|c'est) ))"
    ),
    assent=whole(
        r"(?:oui|ouais|ok|okay|d'accord|exact|exactement|parfait|tres bien|bien|vas-y|allez-y"
        r"|fais-le|continue|super|nickel|c'est bon|ca marche"
        r"|ca me va|entendu|merci|s'il te plait|stp|bien sur|go|impec)(?:[\s,.!]+(?:oui|merci"
        r"|vas-y|stp|s'il te plait|parfait|fais-le))*"
    ),
    agenda=within(
        r"(?:veux-tu|voulez-vous|souhaites-tu|souhaitez-vous|tu veux) que je|puis-je|dois-je"
        r"|je (?:continue|peux|commence|lance|commite)"
        r"|continuer|proceder|commit|push|que (?:dois-je|faire)|prochaine\w* etape\w*"
        r"|par ou commencer|ca te va|est-ce (?:correct|bon)"
    ),
    undecided=whole(
        r"peu importe|comme tu veux|c'est toi qui vois|a toi de voir|choisis|decide|je ne sais pas"
        r"|je sais pas|aucune idee|n'importe|passe|plus tard"
        r"|les deux|non|rien|aucun\w*|ca m'est egal"
    ),
    concedes=within(
        r"(?:tu as|vous avez) (?:tout a fait |entierement |absolument )?raison|mon erreur"
        r"|je me suis trompe\w*|je suis desole\w*|desole\w*|excuse(?:z)?-moi"
        r"|toutes mes excuses|merci (?:pour|de) (?:la correction|la precision|m'avoir corrige)"
        r"|bien vu|bonne remarque|j'ai mal compris"
    ),
    first_person=within(r"je|j'\w+|me|moi|mon|ma|mes"),
    second_person=within(r"tu|te|toi|ton|ta|tes|vous|votre|vos|claude"),
    no_access=within(
        r"tu n'?as pas (?:\w+ )?(?:acces|les droits|la permission|de \w+)"
        r"|tu (?:ne )?peux pas (?:acceder|utiliser|lancer|voir)|(?:ici|sur cette machine"
        r"|en ci|sur le serveur),? (?:il )?n'?y a pas|n'est pas (?:installe\w*|disponible"
        r"|accessible)|ne sont pas (?:installe\w*|disponibles)|pas d'acces"
    ),
    everywhere=within(
        r"dans tous (?:mes|les) projets|dans chaque projet|globalement|sur tous (?:mes|les) projets"
    ),
)
