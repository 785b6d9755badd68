"""What Cortex words itself in memories, in each language: `said` fills in a phrase.

What users and the agent wrote stays as it is; these are the sentences and labels around it. Each
language has all phrases, as its developers would write them. Of a phrase in two forms (“… | …”) the
first is for one thing, the second for several.
"""

from __future__ import annotations

from cortex_core.language.detect import LANGUAGES

_KEYS = (
    "test",
    "lint",
    "format",
    "typecheck",
    "check",
    "build",
    "run",
    "migrate",
    "deploy",
    "generate",
    "install",
    "also",
    "fails",
    "works",
    "absent",
    "daemon",
    "use",
    "below",
    "login",
    "services",
    "port",
    "ports",
    "stopped at",
    "stopped after",
    "stopped on",
    "stopped",
    "tasks left",
    "files left",
    "left",
    "to do",
    "offered",
    "proposed",
    "pending",
    "filed",
    "uncommitted",
    "open",
    "pull",
    "more",
    "tasks",
    "files",
    "pulls",
    "asked last",
    "answered",
    "branch",
    "fix",
    "asked",
    "over",
    "committed",
)

_TABLES = {
    "en": """
        Tests are run with {way}
        The code is linted with {way}
        The code is formatted with {way}
        Types are checked with {way}
        Checks are run with {way}
        The project is built with {way}
        The project is started with {way}
        Migrations are run with {way}
        A release is made with {way}
        Code is generated with {way}
        Dependencies are installed with {way}
        {said} (also {ways})
        {way} does not work here
        {way} works in this project
        `{name}` is not found on this machine
        {name} is not running on this machine
        {said}; use {way}
        {command} in {folder}
        The machine {host} is reached with {way}
        Services are reached at {host}
        {name} on port {port}
        {said} (ports {ports})
        Stopped at “{text}”
        Stopped after “{text}”
        Stopped on {branch} with {left}
        Stopped with {left}
        {n} thing left to do | {n} things left to do
        {n} file not committed | {n} files not committed
        an open end
        Still to do: {items}.
        Claude offered to {text}, which nobody answered.
        Claude proposed, unanswered: “{text}”.
        Still pending: {items}.
        Filed for later: {items}.
        Edited and not committed: {items}.
        Still open: {items}.
        pull request {number}
        {items} and {n} more
        {n} entry of the list | {n} entries of the list
        {n} file | {n} files
        {n} pull request | {n} pull requests
        Asked last: “{text}”
        Answered: {text}
        Branch: {branch}
        Fix: {text}
        Asked: {text}
        Chosen over: {items}.
        Committed “{text}”
    """,
    "ru": """
        Тесты запускаются командой {way}
        Линтер запускается командой {way}
        Код форматируется командой {way}
        Типы проверяются командой {way}
        Проверки запускаются командой {way}
        Проект собирается командой {way}
        Проект запускается командой {way}
        Миграции накатываются командой {way}
        Релиз выкатывается командой {way}
        Код генерируется командой {way}
        Зависимости ставятся командой {way}
        {said} (также {ways})
        {way} здесь не работает
        {way} работает в этом проекте
        `{name}` на этой машине не найден
        {name} на этой машине не запущен
        {said}; вместо этого {way}
        {command} в {folder}
        Вход на машину {host}: {way}
        Адрес сервисов: {host}
        {name} на порту {port}
        {said} (порты {ports})
        Остановились на «{text}»
        Остановились после «{text}»
        Остановились на ветке {branch}, {left}
        Остановились, {left}
        осталось дел: {n}
        не закоммичено файлов: {n}
        работа не закончена
        Осталось сделать: {items}.
        Предложение Claude осталось без ответа: «{text}».
        Предложение Claude осталось без ответа: «{text}».
        Ещё не сделано: {items}.
        Отложено на потом: {items}.
        Изменено и не закоммичено: {items}.
        Ещё открыто: {items}.
        pull request {number}
        {items} и ещё {n}
        пунктов списка: {n}
        файлов: {n}
        открытых pull request: {n}
        Последний запрос: «{text}»
        Ответ: {text}
        Ветка: {branch}
        Исправление: {text}
        Вопрос: {text}
        Другие варианты: {items}.
        Закоммичено: «{text}»
    """,
    "de": """
        Die Tests werden mit {way} ausgeführt
        Der Linter wird mit {way} ausgeführt
        Der Code wird mit {way} formatiert
        Typen werden mit {way} geprüft
        Die Prüfungen werden mit {way} ausgeführt
        Das Projekt wird mit {way} gebaut
        Das Projekt wird mit {way} gestartet
        Migrationen werden mit {way} ausgeführt
        Ein Release wird mit {way} gemacht
        Code wird mit {way} generiert
        Abhängigkeiten werden mit {way} installiert
        {said} (auch {ways})
        {way} funktioniert hier nicht
        {way} funktioniert in diesem Projekt
        `{name}` ist auf diesem Rechner nicht installiert
        {name} läuft auf diesem Rechner nicht
        {said}; stattdessen {way} verwenden
        {command} in {folder}
        Der Rechner {host} ist mit {way} erreichbar
        Dienste sind unter {host} erreichbar
        {name} auf Port {port}
        {said} (Ports {ports})
        Stand: „{text}“
        Zuletzt gewünscht: „{text}“
        Unterbrochen auf {branch}: {left}
        Unterbrochen: {left}
        {n} Aufgabe offen | {n} Aufgaben offen
        {n} Datei nicht committet | {n} Dateien nicht committet
        noch nicht fertig
        Noch zu tun: {items}.
        Claudes Angebot blieb unbeantwortet: „{text}“.
        Claudes Vorschlag blieb unbeantwortet: „{text}“.
        Steht noch aus: {items}.
        Für später notiert: {items}.
        Geändert und nicht committet: {items}.
        Noch offen: {items}.
        Pull Request {number}
        {items} und {n} weitere
        {n} Punkt der Liste | {n} Punkte der Liste
        {n} Datei | {n} Dateien
        {n} Pull Request | {n} Pull Requests
        Zuletzt gefragt: „{text}“
        Antwort: {text}
        Branch: {branch}
        Lösung: {text}
        Frage: {text}
        Verworfen: {items}.
        Committet: „{text}“
    """,
    "es": """
        Los tests se ejecutan con {way}
        El linter se ejecuta con {way}
        El código se formatea con {way}
        Los tipos se comprueban con {way}
        Las comprobaciones se ejecutan con {way}
        El proyecto se compila con {way}
        El proyecto se arranca con {way}
        Las migraciones se ejecutan con {way}
        Las releases se publican con {way}
        El código se genera con {way}
        Las dependencias se instalan con {way}
        {said} (también {ways})
        {way} no funciona en este proyecto
        {way} funciona en este proyecto
        `{name}` no está instalado en esta máquina
        {name} no está en marcha en esta máquina
        {said}; usa {way}
        {command} en {folder}
        A la máquina {host} se entra con {way}
        Los servicios están en {host}
        {name} en el puerto {port}
        {said} (puertos {ports})
        Se quedó en «{text}»
        Se quedó tras «{text}»
        Se quedó en {branch}: {left}
        Se quedó a medias: {left}
        {n} tarea pendiente | {n} tareas pendientes
        {n} archivo sin commit | {n} archivos sin commit
        trabajo sin terminar
        Queda por hacer: {items}.
        La propuesta de Claude quedó sin respuesta: «{text}».
        La propuesta de Claude quedó sin respuesta: «{text}».
        Sigue pendiente: {items}.
        Anotado para más tarde: {items}.
        Modificado y sin commit: {items}.
        Sigue abierto: {items}.
        pull request {number}
        {items} y {n} más
        {n} punto de la lista | {n} puntos de la lista
        {n} archivo | {n} archivos
        {n} pull request | {n} pull requests
        Última petición: «{text}»
        Respuesta: {text}
        Rama: {branch}
        Solución: {text}
        Pregunta: {text}
        Alternativas descartadas: {items}.
        Commit: «{text}»
    """,
    "fr": """
        Les tests se lancent avec {way}
        Le linter se lance avec {way}
        Le code se formate avec {way}
        Les types se vérifient avec {way}
        Les vérifications se lancent avec {way}
        Le projet se compile avec {way}
        Le projet se démarre avec {way}
        Les migrations s'exécutent avec {way}
        Une release se publie avec {way}
        Le code se génère avec {way}
        Les dépendances s'installent avec {way}
        {said} (aussi {ways})
        {way} ne fonctionne pas ici
        {way} fonctionne dans ce projet
        `{name}` n'est pas installé sur cette machine
        {name} ne tourne pas sur cette machine
        {said} ; utiliser {way}
        {command} dans {folder}
        La machine {host} est accessible avec {way}
        Les services sont accessibles sur {host}
        {name} sur le port {port}
        {said} (ports {ports})
        Arrêté à « {text} »
        Arrêté après « {text} »
        Arrêté sur {branch} : {left}
        Arrêté en cours : {left}
        {n} tâche restante | {n} tâches restantes
        {n} fichier non commité | {n} fichiers non commités
        travail inachevé
        Reste à faire : {items}.
        La proposition de Claude est restée sans réponse : « {text} ».
        La proposition de Claude est restée sans réponse : « {text} ».
        Toujours en attente : {items}.
        Noté pour plus tard : {items}.
        Modifié et non commité : {items}.
        Encore ouvert : {items}.
        pull request {number}
        {items} et {n} de plus
        {n} point de la liste | {n} points de la liste
        {n} fichier | {n} fichiers
        {n} pull request | {n} pull requests
        Dernière demande : « {text} »
        Réponse : {text}
        Branche : {branch}
        Correction : {text}
        Question : {text}
        Options écartées : {items}.
        Commit : « {text} »
    """,
    "pt": """
        Os testes são executados com {way}
        O linter é executado com {way}
        O código é formatado com {way}
        Os tipos são verificados com {way}
        As verificações são executadas com {way}
        O projeto é compilado com {way}
        O projeto é iniciado com {way}
        As migrações são executadas com {way}
        As releases são publicadas com {way}
        O código é gerado com {way}
        As dependências são instaladas com {way}
        {said} (também {ways})
        {way} não funciona aqui
        {way} funciona neste projeto
        `{name}` não está instalado nesta máquina
        {name} não está rodando nesta máquina
        {said}; use {way}
        {command} em {folder}
        A máquina {host} é acessada com {way}
        Os serviços estão em {host}
        {name} na porta {port}
        {said} (portas {ports})
        Parou em “{text}”
        Parou depois de “{text}”
        Parou em {branch}: {left}
        Parou no meio: {left}
        {n} tarefa pendente | {n} tarefas pendentes
        {n} arquivo sem commit | {n} arquivos sem commit
        trabalho inacabado
        Falta fazer: {items}.
        A proposta do Claude ficou sem resposta: “{text}”.
        A proposta do Claude ficou sem resposta: “{text}”.
        Ainda pendente: {items}.
        Anotado para depois: {items}.
        Modificado e sem commit: {items}.
        Ainda aberto: {items}.
        pull request {number}
        {items} e mais {n}
        {n} item da lista | {n} itens da lista
        {n} arquivo | {n} arquivos
        {n} pull request | {n} pull requests
        Último pedido: “{text}”
        Resposta: {text}
        Branch: {branch}
        Correção: {text}
        Pergunta: {text}
        Alternativas descartadas: {items}.
        Commit: “{text}”
    """,
    "zh": """
        测试用 {way} 运行
        代码检查用 {way} 运行
        代码用 {way} 格式化
        类型检查用 {way} 运行
        全部检查用 {way} 运行
        项目用 {way} 构建
        项目用 {way} 启动
        数据库迁移用 {way} 执行
        发布用 {way} 完成
        代码用 {way} 生成
        依赖用 {way} 安装
        {said}（也可用 {ways}）
        {way} 在这里不能用
        {way} 在本项目中可用
        这台机器上没有 `{name}`
        这台机器上没有运行 {name}
        {said}；改用 {way}
        {command}（在 {folder} 中）
        机器 {host} 用 {way} 登录
        服务地址是 {host}
        {name} 端口 {port}
        {said}（端口 {ports}）
        上次停在“{text}”
        上次做到“{text}”之后
        上次停在 {branch} 分支，{left}
        上次停下时{left}
        还有 {n} 项待办
        有 {n} 个文件未提交
        工作未完成
        待办：{items}。
        Claude 的提议尚未得到答复：“{text}”。
        Claude 的提议尚未得到答复：“{text}”。
        尚待完成：{items}。
        留待以后：{items}。
        已修改但未提交：{items}。
        尚未关闭：{items}。
        pull request {number}
        {items}，另有 {n} 项
        列表中的 {n} 项
        {n} 个文件
        {n} 个 pull request
        最后的要求：“{text}”
        答复：{text}
        分支：{branch}
        修复：{text}
        问题：{text}
        未选：{items}。
        已提交“{text}”
    """,
    "ja": """
        テストは {way} で実行する
        リンターは {way} で実行する
        コードの整形は {way} で行う
        型チェックは {way} で行う
        チェックは {way} で実行する
        ビルドは {way} で行う
        起動は {way} で行う
        マイグレーションは {way} で実行する
        リリースは {way} で行う
        コード生成は {way} で行う
        依存関係は {way} でインストールする
        {said}（{ways} も可）
        {way} はここでは動かない
        {way} はこのプロジェクトで動く
        このマシンには `{name}` がない
        このマシンでは {name} が起動していない
        {said}。代わりに {way} を使う
        {folder} での {command}
        マシン {host} には {way} で接続する
        サービスのアドレスは {host}
        {name} はポート {port}
        {said}（ポート {ports}）
        前回は「{text}」まで
        前回は「{text}」の後で終了
        前回は {branch} で終了、{left}
        前回の終了時、{left}
        残りの作業 {n} 件
        未コミットのファイル {n} 個
        作業は途中
        残りの作業：{items}。
        Claude の提案は未回答：「{text}」。
        Claude の提案は未回答：「{text}」。
        保留中：{items}。
        後回しにした作業：{items}。
        変更済みで未コミット：{items}。
        未完了：{items}。
        pull request {number}
        {items}、ほか {n} 件
        リストの {n} 件
        ファイル {n} 個
        pull request {n} 件
        最後の依頼：「{text}」
        回答：{text}
        ブランチ：{branch}
        修正：{text}
        質問：{text}
        選ばなかった案：{items}。
        コミット「{text}」
    """,
    "ko": """
        테스트는 {way}로 실행한다
        린터는 {way}로 실행한다
        코드는 {way}로 포맷한다
        타입 검사는 {way}로 한다
        검사는 {way}로 실행한다
        빌드는 {way}로 한다
        프로젝트는 {way}로 실행한다
        마이그레이션은 {way}로 실행한다
        릴리스는 {way}로 한다
        코드는 {way}로 생성한다
        의존성은 {way}로 설치한다
        {said} ({ways}도 가능)
        {way}: 여기서는 동작하지 않음
        {way}: 이 프로젝트에서 동작함
        이 머신에는 `{name}` 명령이 없음
        이 머신에서는 {name} 실행 중이 아님
        {said}; 대신 {way} 사용
        {folder}에서 {command}
        {host} 머신은 {way}로 접속한다
        서비스 주소는 {host}
        {name} 포트 {port}
        {said} (포트 {ports})
        “{text}”에서 멈춤
        “{text}” 이후 멈춤
        {branch} 브랜치에서 멈춤, {left}
        멈춤, {left}
        남은 작업 {n}개
        커밋하지 않은 파일 {n}개
        작업 미완료
        남은 작업: {items}.
        Claude의 제안에 답이 없음: “{text}”.
        Claude의 제안에 답이 없음: “{text}”.
        아직 대기 중: {items}.
        나중으로 미룸: {items}.
        수정했지만 커밋하지 않음: {items}.
        아직 열려 있음: {items}.
        pull request {number}
        {items} 외 {n}개
        목록의 {n}개 항목
        파일 {n}개
        pull request {n}개
        마지막 요청: “{text}”
        답변: {text}
        브랜치: {branch}
        수정: {text}
        질문: {text}
        선택하지 않은 안: {items}.
        커밋: “{text}”
    """,
}


def _phrases(table: str) -> dict[str, str]:
    return dict(zip(_KEYS, map(str.strip, table.strip().split("\n")), strict=True))


PHRASES = {language: _phrases(_TABLES[language]) for language in LANGUAGES}


def said(phrase: str, language: str, n: int = 0, **values: object) -> str:
    """A phrase in `language` with `values` filled in; in English for a language without phrases.

    Args:
        phrase: its name, such as `test` for how the tests are run.
        n: the number in it, by which its form is chosen.
    """
    one, _, several = PHRASES.get(language, PHRASES["en"])[phrase].partition(" | ")
    return (several if several and n != 1 else one).format(n=n, **values)
