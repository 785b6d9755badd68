"""Whether a text is a later word on what an earlier one says: two texts, no store."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cortex_core.duplicates.last_word import Claim, later_word, rest

CHANGED = (
    # the same subject and relation, and another answer
    ("The staging database is on Hetzner", "The staging database lives on OVH now"),
    ("The release manager is Marta", "Jonas is the release manager now"),
    ("Feature flags come from LaunchDarkly", "Feature flags come from Unleash now"),
    ("Die Artefakte liegen auf Nexus", "Die Artefakte liegen jetzt auf Artifactory"),
    ("La base de staging est chez OVH", "La base de staging est désormais chez Scaleway"),
    ("Functions must not exceed 60 lines", "Functions must not exceed 80 lines"),
    ("Never deploy after 16:00", "Never deploy after 17:00"),
    ("Never deploy on Friday", "Now never deploy on Saturday"),
    ("Deploy with scripts/a.sh", "Deploy with scripts/b.sh"),
    ("Use pnpm here, never npm", "Use npm here, never pnpm"),
    ("Prefer tabs over spaces", "Prefer spaces over tabs"),
    ("The session store is in PostgreSQL", "The session store is in SQLite, not PostgreSQL"),
    ("Use port 8080 for the API", "Use port 9090 for the API"),
    ("Always squash commits", "Never squash commits"),
    ("The billing cron runs at 02:00", "The billing cron runs at 03:00"),
    ("the nightly backup starts at 2 am", "we moved the nightly backup to 3:30"),
    (
        "Access tokens live 15 minutes because the client can refresh.",
        "Access tokens live 30 minutes because the client can refresh, agreed with ops.",
    ),
    ("CI runs on Node 18.", "CI now runs on Node 20."),
    ("Images are based on python3.11", "Images are based on python3.12"),
    ("The replica db-1 is the primary", "db-1 is dead, db-2 is the primary"),
    ("The standup of the platform team is at 9:30.", "The platform standup moved to 10:00."),
    ("Sessions are cached in Redis.", "We moved the session cache from Redis to Valkey."),
    ("Deploys go out on Tuesday.", "Deploys were moved from Tuesday to Thursday."),
    ("staging api listens on 8081", "8081 is the old one, it's 9443 from now on"),
    ("Alice signs off releases", "Alice left, Bob signs off releases"),
    ("Docker runs on your host, you have access to it", "You don't have access to docker"),
    ("API docs live in docs/api.md", "I split the docs, API docs are in docs/reference now"),
    ("Die Tests laufen gegen SQLite.", "das kann sqlite nicht, sie sollen gegen mariadb laufen"),
    ("les tests tournent avec jest", "on est passé à vitest pour les tests"),
    ("Ändere niemals Dateien in lib/", "Dateien in lib/ darfst du ab jetzt ändern"),
    ("Fristen stehen in Tagen, nie in Stunden", "Fristen ab jetzt doch in Stunden angeben"),
    ("der Abgleich startet um 02:30 auf kobold", "der Abgleich startet ab Montag um 04:00"),
    ("Les prix sont en centimes, jamais en euros", "Les prix sont désormais en euros"),
    ("Não mexa nos arquivos de etc/", "A partir de agora pode mexer nos arquivos de etc/"),
    ("Никогда не редактируй файлы в lib/", "Файлы в lib/ теперь можно редактировать"),
    ("不要直接改 schema 目录里的文件", "schema 目录里的文件现在可以直接改了"),
    ("lib 폴더는 절대 수정하지 마세요", "이제 lib 폴더는 수정해도 됩니다"),
    ("el informe se manda los lunes", "el informe pasa a los jueves"),
    ("usamos o MySQL em produção", "migramos produção para o Postgres"),
    ("логи храним 30 дней", "юристы попросили хранить логи 90 дней"),
    ("所有接口都挂在 /api/v2 下面", "v2 已经下线，写新的调用走 /v3"),
    ("ビルドはwebpackを使う", "webpackはやめてviteに変えました"),
    ("패키지 매니저는 npm을 쓴다", "이제 npm 말고 pnpm 쓰자"),
)

WITHDRAWN = (
    ("We use Redux for state", "We no longer use Redux"),
    ("two approvals on every pull request", "ignore what I said about two approvals"),
    ("immer das Changelog pflegen", "das Changelog brauchen wir nicht mehr"),
    ("mets à jour le changelog à chaque fois", "le changelog, laisse tomber"),
    ("pon siempre el displayName", "lo del displayName olvídalo"),
    ("manda um resumo no final", "pode cortar os resumos"),
    ("перед коммитом гоняй полный набор тестов", "полный набор тестов больше не надо"),
    ("每次改完样式都要截图存档", "截图那一套取消了"),
    ("コミットごとにスクショを添付すること", "スクショの添付はもう要りません"),
    ("Put a coverage badge in every readme", "Forget the coverage badge thing, nobody reads it"),
    ("Am Ordner assets wird nichts geändert", "Die Sperre für assets ist aufgehoben"),
)

BOTH_HOLD = (
    ("Never deploy on Friday", "Never deploy on Saturday"),
    ("Never edit src/vendor/lib.js", "Never edit src/vendor/other.js"),
    ("Never expose port 8080", "Never expose port 9090"),
    ("`src/a.py` is generated", "`src/b.py` is generated"),
    ("ENV_A must be set in CI", "ENV_B must be set in CI"),
    ("Logs are kept 30 days", "30 rows a page are too many, make it 20"),
    ("日志保留 30 天", "列表每页 30 条太多了，改 20"),
    ("London and Paris are served", "Paris and London are served"),
    ("Run the tests with the real database", "Run the tests in CI with the real one, not mocks"),
    ("Use port 8080 for the API", "Use port 9090 for the admin page"),
    ("Never push to main", "Never push to release"),
    ("Run the linter before a commit", "Run the tests before a commit"),
    ("Use tabs", "Use tabs in Makefiles"),
    ("Use tabs for the indentation of Rust files", "TOML files get an indentation of spaces"),
    ("Use pnpm, never npm", "Always use pnpm instead of npm"),
    ("Always squash-merge pull requests", "Rebase, don't merge"),
    ("We use Redux for state", "We no longer use Webpack"),
    ("ask me before adding dependencies", "dev dependencies count too"),
    ("the staging server runs on port 8081", "why does the staging server return 502"),
    ("keep functions under 30 lines", "test functions may have up to 60 lines"),
    ("all images go to assets/img", "delete the images we no longer use"),
    ("always write tests for endpoints", "the tests for the endpoints don't work any more"),
    ("use docker compose for local development", "docker is dead again, restart it"),
    ("Never delete rows from the orders table", "delete the orders.spec.ts file"),
    ("the API listens on 8080", "start the API on 8081 for this test"),
    ("prod db is read only for you", "on the staging db feel free to write"),
    ("Redis stores the job queue.", "The metrics moved from StatsD to Prometheus."),
    ("The exporter listens on port 9100", "the exporter no longer answers on 9100"),
    (
        "The lock expires after 30 seconds",
        "the lock expired at 20 seconds where it should be 30",
    ),
    ("Die Kasse bucht jede Minute", "die Kasse bucht nicht mehr, schau mal"),
    ("Le relais passe par gw2", "gw2 ne répond plus, regarde les routes"),
    ("Le port 5000 est pris, évite-le", "évite aussi le 7000"),
    ("每周四发布", "周四的会议取消了"),
    ("service-1 listens on port 8010", "service-2 listens on port 8020"),
    ("The shard db-1 lives on host h1.internal", "The shard db-2 lives on host h2.internal"),
    ("Der Dienst auth1 läuft auf Port 9010", "Der Dienst auth2 läuft auf Port 9020"),
    ("`fixtures/case1.json` covers 10 rows", "`fixtures/case2.json` covers 20 rows"),
    ("Drop stale credentials after a 401", "Refuse to retry credentials when the check is off"),
    ("Send credentials to the proxy", "Bail out if the proxy for credentials is dead"),
    ("Fasse die Datei config.yaml nicht an", "du kannst die Datei config.yaml jetzt lesen"),
    ("Ne touche pas au dossier old/", "tu peux lire le dossier old/ pour comprendre"),
    ("Never delete branches without asking", "you can delete the branch fix-12 now"),
    ("Der Nachtlauf startet um 02:30", "das Update startet ab Montag um 04:00"),
    ("Never deploy shop and cart together", "Never deploy cart and shop together"),
    ("The parser module is slow", "The parser module is typed now"),
    ("The worker queue is in Redis", "The worker queue is in good shape now"),
    ("The staging database is on Hetzner", "The production database is on OVH now"),
    ("The docs pages come from Sphinx", "The docs pages come from CI too now"),
    ("", "We no longer use Redux"),
    ("We use Redux", ""),
)


@pytest.mark.parametrize(("earlier", "later"), CHANGED)
def test_another_value_of_the_same_subject_changes_it(earlier: str, later: str) -> None:
    assert later_word(earlier, later) == "change"


@pytest.mark.parametrize(("earlier", "later"), BOTH_HOLD)
def test_what_is_about_something_else_leaves_it(earlier: str, later: str) -> None:
    assert later_word(earlier, later) is None


@pytest.mark.parametrize(("earlier", "later"), WITHDRAWN)
def test_what_is_taken_back_is_withdrawn(earlier: str, later: str) -> None:
    assert later_word(earlier, later) == "withdrawal"


def test_a_name_with_a_digit_belongs_to_the_subject() -> None:
    assert not Claim("Service s3 is on port 3007").contradicts(Claim("Service s4 is on port 3028"))
    assert Claim("Service s3 is on port 3007").contradicts(Claim("Service s3 is on port 3028"))
    assert Claim("The billing API is at v1").contradicts(Claim("The billing API is at v2"))


def test_an_order_of_the_moment_leaves_the_rule_that_forbids_it() -> None:
    assert later_word("Never push to main", "push to main please", lasts=False) is None
    assert later_word("Never push to main", "from now on push to main", lasts=False) is not None


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts_can_be_compared(one: str, other: str) -> None:
    later_word(one, other)
    assert later_word(one, one) is None


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("We use npm for packages", "We use yarn for packages as well"),
        ("Nous utilisons toujours npm", "Nous utilisons toujours aussi yarn"),
    ],
)
def test_what_is_added_leaves_what_holds(earlier: str, later: str) -> None:
    assert later_word(earlier, later) is None


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (
            "To change the port: stop the proxy, run `bin/port --set`, check the log, start it.",
            "To change the token: stop the worker, run `bin/token --set`, check the log, start it.",
        ),
        (
            "Every write of the parser goes through write_lock, so that no lock is left behind.",
            "Every read of the index goes through read_pool, so that no handle is left behind.",
        ),
    ],
)
def test_two_statements_of_one_form_are_about_different_things(earlier: str, later: str) -> None:
    assert later_word(earlier, later) is None
    assert later_word(later, earlier) is None


@pytest.mark.parametrize(
    ("earlier", "later", "left"),
    [
        (
            "Branch names have at most 40 letters, lower case, with dashes",
            "branch names may have 60 letters now",
            "lower case, with dashes",
        ),
        (
            "Tickets are named in English, short, with at most 50 letters",
            "tickets may have up to 80 letters, 50 is too short",
            "Tickets are named in English, short",
        ),
        (
            "The demo is at demo.internal, deployed with `task ship`, never before 9:00",
            "we don't deploy with task any more, there is a workflow now",
            "The demo is at demo.internal, never before 9:00",
        ),
        ("never push to main, open a draft instead", "you may push to main from now on", ""),
        ("We use Redux for state, with its toolkit", "we no longer use Redux", ""),
        ("The API is on port 8080, because 80 is taken", "the API is on port 9090 now", ""),
    ],
)
def test_what_a_change_leaves_of_several_statements_still_holds(
    earlier: str, later: str, left: str
) -> None:
    assert later_word(earlier, later)
    assert rest(earlier, later) == left
