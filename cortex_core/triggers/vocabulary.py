"""The words of rules: kinds of acts and of things, and what forbids, limits or allows them.

A group is a line of words without accents; `*` means any letters, `…` some words in between. A word
of capitals means those of `WORDS`, or for what the rule names: `HOST` a machine, `VERSION`,
`BRANCHES`, `CONTEXT` of a cluster.
"""

import re
import unicodedata
from functools import lru_cache

from cortex_core.language import negation
from cortex_core.triggers import rule_words

WORDS = {
    # kinds of acts, in the languages that rules are read in
    "CREATE": "bau*, gebaut, creat*, mak*, open*, add*, cut*, new, anleg*, lege, legen, legst"
    ", erstell*, aufmach*"
    ", neu*, offn*, crea*, cre*, abr*, nuev*, ouvr*, nouv*, apri*, cria, crie, criar, nov*",
    "DELETE": (
        "verwijder*, "
        "удал*, 删, 削除, 삭제, delet*, remov*, drop*, eras*, wip*, purg*, nuk*, destroy*"
        ", losch*, entfern*, borr*"
        ", elimin*, supprim*, effac*, cancell*, apag*"
    ),
    "CHANGE": (
        "改, 編集, aanpass*, wijzig*, bewerk*, aanraak*, aanrak*, "
        "измен*, трога*, 修改, 编辑, 変更, 編集, 수정, tocan, dreh*, chang*, modif*"
        ", edit*, touch*"
        ", set, setting, anderung*"
        ", modification*, modifica*"
        ", cambio*, tocc*, toqu*, andern, andert, anderst, geandert, anfass*, cambi*, toca, tocar"
        ", toques, toque, mexe*, mexa*"
    ),
    "INSTALL": (
        "нов*, добавл*, ставь*, 添加, 新增, 追加, 추가, nieuw*, toevoeg*, voeg*, "
        "установ*, 安装, インストール, 설치, new, install*, add*, pull* in, bring* in, neu*"
        ", instal*, einbau*, nuev*, agreg*"
        ", anad*, nouvel*, ajout*, nuov*, aggiung*, nov*, adicion*"
    ),
    "UPDATE": "mettent a jour, обнов*, 更新, 업데이트, updat*, upgrad*, bump*, aktualis*, hochzieh*"
    ", anheb*, actualiz*, actualic*"
    ", a jour, mise* a jour, mets a jour, mettre a jour, aggiorn*, atualiz*",
    "RUN": (
        "启动, 跑, 起動, 시작, draai, draaien, suba, subam, "
        "запуск*, 运行, 実行, 실행, run, runs, running, aplic*, appliqu*, applic*, anwend*"
        ", einspiel*, apply*, execut*, start*, launch*, spin* up, ausfuhr*, fuhr*, lauf*, aufruf*"
        ", lanc*, demarr*, ejecut*, corre, corro, corras, correr, arranc*, avvi*, esegu*, roda"
        ", rode"
        ", rodar, inici*"
    ),
    "SEND": "send*, post*, writ*, notif*, mail*, ping*, messag*, schick*, verschick*, versend*"
    ", schreib*, envi*, envoy*, mand*, escrib*, ecri*, publi*, invi*, scriv*",
    "STOP": (
        "herstart*, "
        "останов*, перезапуск*, 重启, 再起動, 재시작, scale*, drain*, relanc*, kill*, stop*"
        ", restart*, reload*, shut*, beend*, stopp*"
        ", neustart*"
        ", neu start*, mata"
        ", mates, matar, pares, parar, reinici*, redemarr*, arret*, tuer, tuez, riavvi*, ferma*"
        ", abschiess*, abschalt*"
    ),
    "PUBLISH": "publish*, upload*, veroffentlich*, hochlad*, publi*, sube, subas, subir, pubblic*",
    "SKIP": (
        "обход*, обойти, pule*, sla … over, overslaan, oversla*, "
        "пропуск*, 跳过, スキップ, 건너뛰, skip*, bypass*, disabl*, circumvent*, around, umgeh*"
        ", uberspring*, abschalt*, vorbei"
        ", saltar*, saltes, desactiv*, saut*, contourn*, salta, pula, pular"
    ),
    "MERGE": (
        "мерж*, слива*, 合并, マージ, 병합, gemerg*, merg*, zusammenfuhr*, fusion*"
        ", mezcl*, unir, unisc*"
    ),
    # kinds of things
    "LIVE": (
        "прод, проде, продакшен*, продакшн*, 生产, 本番, 운영, 프로덕션, productie, "
        "prod, production, live, produktion, produccion, produzione, producao"
    ),
    "PR": "pull request*, pull-request*, pullrequest*, pr, prs, mr, mrs, merge request*",
    "BRANCH": (
        "ветк*, ветв*, 分支, ブランチ, 브랜치, branch*, rama, ramas, branche*, zweig*, ram*"
    ),
    "TABLE": "table, tables, tabell*, tabla*, tabel*",
    "DATABASE": "database*, db, dbs, datenbank*, base de datos, bases de datos, base de donnees"
    ", basi di dati, banco de dados, schema*",
    "PACKAGES": (
        "пакет*, 软件包, パッケージ, 패키지, afhankelijkhed*, pakket*, "
        "зависимост*, 依赖, 依存, 의존성, dependenc*, package*, librar*, deps, paket*"
        ", abhangigkeit*, bibliothek*"
        ", dependencia*, paquete*, libreria*, paquet*, dependance*, bibliotheque*, dipendenz*"
        ", pacchett*, pacote*"
    ),
    "SERVICES": (
        "сервис*, служб*, 服务, サービス, 서비스, "
        "webserver*, web server*, service*, daemon*, dienst*"
        ", servic*, systemd, unit*, servizi*, servico*"
    ),
    "DAEMON": "apache, nginx, caddy, postgres, postgresql, mysql, mariadb, mongodb, redis, kafka"
    ", rabbitmq, elasticsearch",
    "HISTORY": (
        "истори*, 历史, 歷史, 履歴, 히스토리, geschiedenis, git-geschiedenis, "
        "histor*, geschichte, verlauf*, storia"
    ),
    "CHANGES": "change*, work, anderung*, arbeit, cambios, trabajo, modif*, travail, lavoro",
    "MIGRATIONS": "*migrat*, migrac*, migraz*, migraç*",
    "DEVSERVER": (
        "dev-сервер*, dev сервер*, сервер* разработки, 开发服务器, 開発サーバー, 개발 서버"
        ", ontwikkelserver*, "
        "dev server*, dev-server*, devserver*, development server*, entwicklungsserver*"
        ", dev-server, serveur de dev*, servidor de des*, server di sviluppo"
    ),
    "SUITE": (
        "тест*, 测试, テスト, 테스트, "
        "bateria*, suite, tests, specs, testsuite, test suite, pruebas, testes"
    ),
    "ALL": (
        "весь, всех, целиком, 全部, 所有, 整个, すべて, 모든, 전체, hele, gehele, "
        "complet*, whole, full, entire, complete, all the, all of, all tests, ganz*"
        ", komplett*, alle"
        ", gesamt*, tout, toute, tous, toda, todo*, entera, intera, tutt*, inteira"
    ),
    "READONLY": "select only, select-only, only select*, only read, read access"
    ", read only, read-only, readonly, look but, only look, just look, tourist"
    ", nur lesen*, nur lesbar, nur ansehen, nur gucken, solo lectura, solo leer, lecture seule"
    ", sola lettura, so leitura, somente leitura",
    "VERSIONS": "nichts, nothing, only, stick*, stay*, keep*, never, not, don't, nothing, until"
    ", pin*, nur, bleib*, nicht, keine*, nie, kein, solo, no, nada, quedate, seulement, rest*"
    ", pas, jamais, solamente, fermo, resta*, apenas, fica*",
    "MAKES": "cre*, new, neu*, nuev*, nouv*, nuov*, nov*, cri*, созда*, новы*, нов*",
    "NEWFILES": "cre* … file*, new … file*, add file*, add … file*, neu* … datei*"
    ", datei* … anleg*, datei* … erstell*, cre* … archivo*, nuev* … archivo*, cre* … fichero*"
    ", cre* … fichier*, nouv* … fichier*, ajout* … fichier*, nuov* … file, cri* … arquivo*"
    ", cri* … ficheiro*, созда* … файл*, новы* … файл*, добавля* … файл*"
    ", 新建, 创建, 新しいファイル, ファイルを作, 새 파일, 파일을 만들",
    "NEWDOCS": "cre* … markdown*, new … markdown*, new docs, new readme files, neu* … markdown*"
    ", nuev* … markdown*, markdown … nuev*, nouv* … markdown*, nuov* … markdown*"
    ", cri* … markdown*, созда* … markdown*, 新建 markdown, 创建 markdown, markdown ファイルを作",
    "FILES": "repo, repository, git, commit*, eincheck*, check* in, depot, repositorio",
    "LIVEDB": "produktivdatenbank*, produktiv-db, produktionsdatenbank*, prod-db, prod db"
    ", production db*, production database*, live-datenbank*, live db, live database*"
    ", prod database*, base de datos de prod*, base de prod*, base de donnees de prod*"
    ", database di prod*, banco de prod*",
    "SERVICE": "jira, linear, notion, asana, trello, sentry, figma, confluence, clickup, zendesk"
    ", salesforce, hubspot, datadog, pagerduty, airtable, monday, discord, teams, gmail, calendar"
    ", stripe, shopify, intercom, grafana",
    "SECRETS": "secret*, api token*, access token*, tokens or, oder tokens, password*"
    ", passwort*, passworter*, credential*, api key*, geheimnis*, contrasena*, clave*, secreto*"
    ", mot de passe, mots de passe, senha*, env var*, environment, umgebungsvar*"
    ", variables de entorno, variables d'environnement",
    "PRINT": "print*, show*, echo*, dump*, logged, ausgeb*, anzeig*, zeig*, imprim*"
    ", muestr*, affich*, stamp*, mostr*",
    "MAIL": "mail*, e-mail*, email*, correo*, courriel*, posta",
    # Words between a prohibition and a place that name nothing else which is forbidden there
    "THINGS": (
        "please, you, your, my, our, ever, bitte, por, favor, nobody, the, a, any, anything"
        ", everything"
        ", something, all, of, or, and, else, to, are, is, be, must, should, can, me, we, code"
        ", stuff, thing*, file*, work, keep, leave*, stay*, off, out, put*, writ*, add*, mov*"
        ", renam*, sav*, commit*"
        ", check*, push*, generat*, look*, read*, open*, run*"
        ", work*, hand*, finger*, datei*, alles, etwas, sachen, was, irgendwas, schreib*, leg*"
        ", archivo*, fichero*, nada, todo, escrib*, fichier*, rien, tout, a, au, aux, ecri*, met*"
        ", niente, tutto, scriv*, tudo, escrev*, файл*, ничего, пиши*"
    ),
    # Words that forbid what their clause names, or the one before
    "BANS": (
        "the only copy, sacrosanct, untouched, is out, are out, too slow, zu langsam"
        ", pas touche, ni se te ocurr*, hate, hasse, odio"
        ", forbidden, prohibited, is protected, banned, not allowed, disallowed"
        ", off limits, off-limits"
        ", off the table, taboo, sacred, no-go, frozen, deprecated, retired, obsolete, unwelcome"
        ", not welcome, read-only, read only, no business, no place, hands off, get lost"
        ", gets lost, finger weg, hande weg, verboten, tabu, in ruhe, heilig, gesperrt, verboden"
        ", interdit*, sacre*, prohibid*, sagrad*, vietat*, proibid*, запрещ*, 禁, 금지"
    ),
    # Words that forbid what their clause names, before or after them
    "FORBIDS": (
        "никаких, никакие, никогда, ничего, rien d'*, "
        "leave … as, dejal* … en paz, deja … en paz, dich nichts an, n'ajout* … pas, not for"
        ", gone for, must not, must never, should not, should never, shall not, is never"
        ", are never, may not, nobody, no one, noone, alone, stay as, stays as, out of git"
        ", out of the, out of this, out of it"
        # German and Dutch
        ", nie, niemals, nicht, nichts, kein*, weder, draussen, lass* … weg, lass* … sein"
        ", lass* … so, lass das, nooit, niet, niets, niks, geen, af van, van … af"
        # French, Spanish, Italian and Portuguese
        ", ne … pas, ne … rien, ne … plus, n'* … pas, n'* … rien, n'* … plus, jamais, rien dans"
        ", rien sur, rien en, fais pas, touche pas, pas de, pas du, pas des, pas d'*, aucun*"
        ", nunca, jamas, nada de, nada en, no se, no lo, no la, no los, no las, no *as, no *es"
        ", ningun*, tu no, nao, non, mai, niente, nessun*, nenhum*"
        # Russian, and what denies a word of Chinese, Japanese or Korean
        ", не, нельзя, никогда, запрет*, без, 지마, 지 말, 말고, 대신, ではなく, じゃなく, の代わり"
        ", 使わず, " + ", ".join(negation.DENYING)
    ),
    # Words behind a thing in its clause that may forbid it: “binaries don't go into git”
    "DENIES": (
        "don't, do not, doesn't, does not, isn't, is not, aren't, are not, won't, will not, never"
        ", not, no, nothing"
    ),
    # What a rule says the code does or not, and who else is spoken of so
    "CODE": (
        "code, script*, function*, handler*, component*, module*, worker*, job, jobs, service*"
        ", client*, class*, method*, librar*, endpoint*, route*, controller*, middleware*, app"
        ", application*, backend, frontend, program, plugin*, test*, test suite, model, models"
        ", view, views, template*, quer*, hook*"
    ),
    "AGENT": "you, we, i, agent*, claude, ai, assistant*, bot, nobody, no one, anyone, anybody",
    "MUST_NOT": (
        "must not, must never, mustn't, should not, should never, shouldn't, may not, may never"
        ", shall not, can never, can not, cannot, can't, doesn't, does not"
    ),
    # Where in files of a name something is forbidden, or alone is right
    "IN_FILES": (
        "NAME:, in NAME, in the NAME, in our NAME, in any NAME"
        ", in unit NAME, inside NAME, within NAME, en NAME"
        ", dans les NAME, en los NAME, nei NAME, em NAME, NAME code, NAME-code, NAME file*"
        ", file NAME, files NAME, fichiers NAME, archivos NAME, NAME-datei*"
    ),
    "OUT_OF_FILES": (
        "outside NAME, outside of NAME, outside the NAME, outside of the NAME, except in NAME"
        ", except NAME, except for NAME, other than in NAME, but not in NAME, ausser in NAME"
        ", ausserhalb von NAME, ausserhalb der NAME, hors des NAME, sauf dans les NAME"
        ", fuera de NAME, fuera de los NAME, salvo en NAME, tranne nei NAME"
    ),
    # Names of libraries that say something else here
    "NO_LIBRARY": (
        "pull requests, merge requests, http requests, api requests, network requests"
        ", web requests, feature requests, change requests, incoming requests"
        ", outgoing requests, send requests, sending requests, make requests, making requests"
        ", log requests"
        ", requests to, requests from, requests at, requests against"
        ", requests per, requests for, requests are, requests go, requests via"
        ", the moment, a moment, this moment, any moment, one moment, right moment, moment of"
        ", moment when, moment to, bootstrap the, bootstrap a, to bootstrap, nose in, your nose"
        ", a pendulum, an enzyme, the enzyme"
    ),
    # Words by which somebody else does something, or something is somebody's own
    "MINE": (
        "nobody but me, nobody but us, no one but me, no one but us, is hers, is his, is theirs"
        ", are hers, are his, are theirs, myself, mine, is *'s, are *'s"
        ", my job, my call, my decision, my business, my thing, not yours, not ours, not your job"
        ", not your call, for humans, for people, for me, for the pipeline, for the ci, for ops"
        ", for the ops, for the sre*, for the admin*, for the devops, for the maintainer*"
        ", for the … team, belong* to, is generated, are generated, gets generated, generated by"
        ", generated from, autogenerated, auto-generated, wird gener*, werden gener*, se gener*"
        ", est gener*, sont gener*, leave … to me, leave … to us, leave … to the, let me"
        ", lass mich, dejame, laisse-moi, laisse moi, only ci, only i, that i, does that, does it"
        ", do that, do it, does this, do this, does those, do those, does them, do them"
        ", handle* that, handle* it, handle* this, run* that, runs it, owns that, owns it"
        ", owns them, care of that, care of it, care of this, care of those, care of them"
        ", only … ci, only … pipeline, chefsache, nur … pipeline, nur … ci, solo … pipeline"
        ", seulement … pipeline, ich selbst, selber, nur ich, mach* das, mach* nur, mach* ich"
        ", mach* die, tut die, tut sie, tut das, tue ich, tun nur, tut nur, tue nur, ubern* das"
        ", ubern* die, ubern* nur, ubern* ich, erledig* das, erledig* die, erledig* ich, yo mism*"
        ", se encarga*, se ocupa*, *o yo, la edita*, las edita*, los edita*, lo edita*, lo hace*"
        ", la hace*, las hace*, los hace*, lo lleva*, la lleva*, moi-meme, s'en charge*"
        ", s'en occupe*, c'est moi qui, c'est nous qui, c'est … qui, ci pens*, se ne occup*"
        ", *o io, facci* io, sou eu, cuid* disso, managed by, maintained by, handled by"
        ", owned by, created by"
        ", edited by"
        ", deployed by, published by, merged by, released by, signed by, controlled by, approved by"
        ", provisioned by, produced by, synced by, updated by, compiled by, tagged by, pushed by"
        ", rotated by, locked by, curated by"
        ", *ed by me, wird … *ed by, cut by, written by, done by, built by, run by, opened by"
    ),
    # Words that say that something is right
    "ALLOWS": (
        "fine, ok, okay, yes, allowed, is welcome, are welcome, erlaubt, in ordnung, autorise*"
        ", permis, permise*, permitid*, est bien, esta bien, ammess*, you may, you can, feel free"
        ", go ahead, may do what, can do what, darfst, kannst, puedes"
        ", tu peux, vous pouvez, puoi, podes"
    ),
    # Words that take something out of a rule
    "EXCEPTS": (
        "except*, ausnahme*, ausgenommen, ausser, sauf, salvo, tranne, eccetto, excec*, behalve"
        ", uitgezonderd, кроме, исключени*, 例外, 除外, 除了, 제외, 예외"
    ),
    # Words that ask for what comes after them
    "ASKS_FOR": (
        "use, uses, using, prefer, run, pass, nur, solo, always, only, make sure, must, should"
        ", stick to, stick with, go with, switch to, switched to, moved to, standardi*ed on, but"
        ", repo is, we are on, we're on, nutz*, nimm, verwend*, immer, usa, usamos, siempre"
        ", utilis*, toujours, gebruik, используй*, 用, 使用"
    ),
    "PUTS": "move … to, put … in, put … into, save … to, save … in, store … in, write … to",
    # Words by which an order of its own begins
    "STARTS": "mov*, put, keep, push, commit, merge, open, create, branch, deploy, target, send"
    ", write, read, save, add, rebase, squash, fix, haz, fais, faz, fai, mach*"
    ", we, wir, nous",
    # Words that want the user to be asked before
    "ASKS_FIRST": (
        "без спроса, без согласован*, не спросив, 先问, 问我, 未经, 許可, 물어보, 허락"
        ", zonder overleg"
        ", zonder te vragen, vraag … eerst, sem perguntar, senza chiedere, sin preguntar"
        ", ohne zu fragen, ohne nachzufragen, sans demander, "
        "mon accord, mi permiso, zustimmung, freigabe, absprache, my ok, my okay, my consent"
        ", without me, ohne mich, sans moi, sin mi, sans en parler, chiedimelo, only after"
        ", only with, only if, only when, nur mit, nur wenn, solo con, solo si, erst nach"
        ", solo despues, seulement apres, just after, ask … before, confirm … before"
        ", check with … before, tell … before, warn … before, approval … before"
        ", permission … before, wait for … before, ask … first, confirm … first"
        ", check with … first, tell … first, warn … first, approval … first, wait for … first"
        ", ask me, ask us, when i say, unless i *, until i *, unless you ask*, when i ask"
        ", without asking, without my, my approval, my permission, check with me, sign-off"
        ", frag* mich, vorher fragen, rucksprache, preguntame, pregunta antes, demande-moi"
        ", demandez-moi, demander avant, chiedi*, pergunt*, спроси*"
    ),
    # Words by which the same is right under a condition
    "CONDITIONS": (
        "if, when, unless, until, without, before, after, yet, first, except, ohne, sin, sans"
        ", zonder, senza, sem, без"
        ", bevor, shared, others', on *day, on *days, on a *day, you didn't, you did not"
        ", that aren't yours"
    ),
    # Behind these a prohibition does not reach
    "NO_FURTHER": (
        "unless, except, before, until, when, if, because, wenn, weil, cuando, porque, quand"
    ),
    # Words that make a change of something an occasion for a rule
    "OCCASIONS": (
        "after, before, whenever, when, each time, every, any, all, nach, bevor, wenn, jede*"
        ", despues, antes, cada, apres, avant, chaque, dopo, prima, ogni, depois, toda vez, после"
        ", перед"
    ),
    # Words for what was named before
    "REFERS": (
        "*arli, *arle, *arlo, *arla, *erlo, *erla, *irlo, los, las, lo, it, them, there, in there"
        ", that, those, in place, by hand"
    ),
    # Words that speak of writing a text
    "WRITING": (
        "add*, writ*, put*, includ*, mention*, append*, use*, log*, leav*, insert*, sign*, say*"
        ", message*, comment*, kommentar*, hinterlass*, schreib*, escrib*, ecri*, mett*, laiss*"
        ", dej*"
    ),
    # Words of a correction by which something is to be done in another way
    "REPLACES": (
        "never, don't, dont, do not, not, no, instead, rather, only, use, must, should, stop, avoid"
    ),
}
"""Groups of words by what they mean."""


@lru_cache(maxsize=64)
def folded(sentence: str) -> str:
    """A sentence of the same length in lower case, with plain letters for accented Latin ones."""
    return "".join(
        unicodedata.normalize("NFD", one)[0] if one <= "\u024f" else one
        for one in sentence.lower().replace("’", "'")
    )


def is_of_code(plain: str) -> bool:
    """Whether a folded sentence says what code must not do, and nothing of what is done with it:
    “Workers must never restart the server”."""
    at, end = spot(plain, "MUST_NOT") or (0, 0)
    return (
        spot(plain[:at], "CODE") is not None
        and not spot(plain[:end], "AGENT")
        and not plain[end:].startswith((" be ", " get "))
    )


def spaced(text: str) -> str:
    """A text with the marks of Latin script, and with spaces around Latin words in any other."""
    # German joins nouns by a hyphen: “Docker-Volumes”.
    if re.search(r"\b(?:nicht|nichts|kein\w*|nie|nur|bitte|sind|ist|der|das)\b", text):
        text = re.sub(r"(?<=[A-Za-zäöü])(?<!Co)-(?=[A-ZÄÖÜ][a-zäöü]{3})", " ", text)
    between = r"(?<=[\u2e80-\uffff])(?=[!-~])|(?<=[!-~])(?=[\u2e80-\uffff])"
    return re.sub(between, " ", text.translate(_MARKS))


_MARKS = str.maketrans(
    {"，": ", ", "、": ", ", "；": "; ", "：": ": ", "。": ". ", "（": " (", "）": ") "}
)


def spot(plain: str, group: str) -> tuple[int, int] | None:
    """Where one of a group's words is in a folded sentence; None for nowhere."""
    named = NAMES.get(group)
    match = named.regex.search(plain) if named else re.search(_spelled(group), plain)
    return match.span(match.lastindex or 0) if match else None


NAMES = {
    "HOST": rule_words.HOST,
    "VERSION": rule_words.VERSION,
    "BRANCHES": rule_words.BRANCH,
    "CONTEXT": rule_words.CONTEXT,
}
"""Groups whose words are names."""


@lru_cache(maxsize=512)
def _spelled(group: str) -> str:
    """The expression that finds a word of a group."""
    words = ", ".join(WORDS.get(word, word) for word in group.split(", ")).split(", ")
    parts = [
        re.escape(word)
        .replace(r"\*", r"\w*")
        .replace("\\ …\\ ", r"\b[^.;]{0,40}?\b")
        .replace(r"\$", r"(?=\s*(?:[.!,;)]|\Z))")
        for word in words
    ]
    latin = "|".join(part for word, part in zip(words, parts, strict=True) if word[0] < "\u2e80")
    # Where no spaces are between words, none can be looked for.
    others = [part for word, part in zip(words, parts, strict=True) if word[0] >= "\u2e80"]
    return "|".join([rf"(?<![\w-])(?:{latin})(?![\w-])", *others])
