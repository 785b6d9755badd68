"""Where secrets are written: what surrounds a key with a name, a bare one, and everyday passwords.

In the templates of keys `{v}` is the key, and its name comes as `{ENV}`, `{snake}`, `{camel}`,
`{kebab}`, `{Header}`, `{words}` and `{issuer}`. In those of passwords `{}` is the password.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from pathlib import Path

from benchmarks.secret_forms import drawn, uuid
from cortex_core import redaction

Make = Callable[[random.Random], str]
Write = Callable[[random.Random], tuple[str, str]]
"""Makes a text, and says which secret is in it."""

SEED_WORDS = Path(redaction.__path__[0], "seed_words.txt").read_text(encoding="ascii").split()

KEY_PLACES: dict[str, str] = {
    "env": "{ENV}={v}",
    "env line": "# .env\nPORT=3000\n{ENV}={v}\nDEBUG=1",
    "export": 'export {ENV}="{v}"',
    "export single": "export {ENV}='{v}'; make deploy",
    "env command": "{ENV}={v} npm run build",
    "docker env": "docker run -e {ENV}={v} -p 80:80 app",
    "dockerfile": "FROM node:20\nENV {ENV} {v}\nRUN make",
    "powershell": '$env:{ENV} = "{v}"',
    "fish": "set -x {ENV} {v}",
    "json": '{{"{camel}": "{v}", "timeout": 30}}',
    "json snake": '{{\n  "{snake}": "{v}",\n  "port": 8080\n}}',
    "json escaped": '{{\\"{camel}\\": \\"{v}\\"}}',
    "yaml": "service:\n  {snake}: {v}\n  port: 80",
    "yaml quoted": '{snake}: "{v}"',
    "yaml block": "{snake}: |\n  {v}\nport: 80",
    "yaml env list": "env:\n  - name: {ENV}\n    value: {v}",
    "toml": '{snake} = "{v}"',
    "ini": "[service]\n{snake} = {v}\n",
    "properties": "{dotted}={v}",
    "header": 'curl -H "X-{Header}: {v}" https://api.internal/v1',
    "header line": "GET /v1/items HTTP/1.1\nHost: api.internal\nX-{Header}: {v}\n",
    "bearer": 'curl -H "Authorization: Bearer {v}" https://api.internal/v1/{kebab}',
    "url": "https://api.internal/v1/items?{snake}={v}&page=2",
    "url camel": "open https://api.internal/items?page=2&{camel}={v}",
    "option": "deploy --{kebab} {v} --now",
    "option equals": "deploy --{kebab}={v} --now",
    "javascript": "const {camel} = '{v}';",
    "typescript": "private readonly {camel}: string = `{v}`;",
    "go": '{camel} := "{v}"',
    "python": '{ENV} = "{v}"',
    "python call": 'client = Client({snake}="{v}", timeout=3)',
    "python dict": "settings['{snake}'] = '{v}'",
    "python env": "os.environ['{ENV}'] = '{v}'",
    "rust": 'let {snake}: &str = "{v}";',
    "java": 'private static final String {ENV} = "{v}";',
    "csharp": 'var {camel} = "{v}";',
    "php": "'{snake}' => '{v}',",
    "php define": "define('{ENV}', '{v}');",
    "ruby": "config.{snake} = '{v}'",
    "c": '#define {ENV} "{v}"',
    "terraform": 'variable "{snake}" {{\n  default = "{v}"\n}}',
    "xml element": "<config><{camel}>{v}</{camel}></config>",
    "xml attribute": '<add key="{camel}" value="{v}" />',
    "table": "| {ENV} | {v} |",
    "markdown": "- **{ENV}**: `{v}`",
    "prose en": "The {words} is {v}, please rotate it.",
    "prose en 2": "For {issuer} use the key `{v}` until Friday.",
    "prose en 3": "I changed the {words} to {v} yesterday.",
    "prose ru": "Ключ для {issuer}: {v}, поменяй его завтра.",
    "prose es": "La clave de {issuer} es {v} y caduca pronto.",
    "prose de": "Der Schlüssel für {issuer} lautet {v}.",
    "prose fr": "La clé {issuer} est {v}, il faut la changer.",
    "prose pt": "A chave do {issuer} é {v}, troque amanhã.",
    "prose zh": "{issuer} 的密钥是 {v}，请尽快更换。",
    "prose ja": "{issuer} のAPIキーは {v} です。",
    "prose ko": "{issuer} API 키는 {v} 입니다.",
}
"""By its kind, what a key with a name is written in."""

BARE: tuple[str, ...] = (
    "{}",
    "We use {} for the staging account.",
    "see `{}`",
    '"{}"',
    "- {}\n- second",
    "réglage：{} — voilà",
    "({})",
    "then\n\n    {}\n\nworked again",
)

COMMANDS: dict[str, str] = {
    "docker login -p": "docker login -u bob -p {} registry.internal",
    "docker login --password": "docker login registry.internal --username bob --password {}",
    "docker login here-string": "docker login -u bob --password-stdin registry.internal <<< '{}'",
    "docker login echo": "echo {} | docker login -u bob --password-stdin",
    "docker login printf": "printf '%s' '{}' | docker login registry.internal -u bob --password-stdin",
    "podman login": "podman login -u=bob -p={} quay.internal",
    "helm registry login": "helm registry login registry.internal -u bob -p '{}'",
    "mysql -p": "mysql -h db.internal -u root -p{} app",
    "mysql quoted": "mysql -uroot -p'{}' -e 'SHOW TABLES'",
    "mysqldump": "mysqldump --user=root --password={} app > dump.sql",
    "mysqladmin": "mysqladmin -u root password '{}'",
    "mariadb": "mariadb -u app -p{} shop < schema.sql",
    "psql url": "psql postgresql://app:{}@db.internal:5432/shop",
    "psql dsn": "psql 'host=db.internal user=app password={} dbname=shop'",
    "pgpassword": "PGPASSWORD={} psql -h db.internal -U app shop",
    "pgpass line": "db.internal:5432:shop:app:{}\n",
    "mysql_pwd": "MYSQL_PWD={} mysqldump shop",
    "redis-cli -a": "redis-cli -h cache.internal -a {} ping",
    "redis requirepass": "redis-cli config set requirepass {}",
    "redis auth": "AUTH {}\nPING",
    "mongosh -p": "mongosh --host db.internal -u admin -p {} --authenticationDatabase admin",
    "mongodump": "mongodump --uri db.internal --username admin --password '{}'",
    "sqlcmd -P": "sqlcmd -S db.internal -U sa -P {} -Q 'SELECT 1'",
    "sqlplus": "sqlplus scott/{}@orcl",
    "clickhouse-client": "clickhouse-client --user app --password {}",
    "cqlsh": "cqlsh -u cassandra -p {} node1",
    "influx": "influx -username admin -password {}",
    "ldapsearch -w": "ldapsearch -x -D cn=admin,dc=corp -w {} -b dc=corp",
    "ldapmodify -w": "ldapmodify -H ldap://ds -D cn=admin -w '{}' -f change.ldif",
    "sshpass -p": "sshpass -p {} ssh root@10.0.0.4",
    "sshpass attached": "sshpass -p'{}' scp app.tar root@10.0.0.4:/srv",
    "sudo -S": "echo '{}' | sudo -S systemctl restart nginx",
    "chpasswd": "echo 'deploy:{}' | chpasswd",
    "passwd stdin": "echo {} | passwd --stdin deploy",
    "useradd -p": "useradd -m -p {} deploy",
    "curl -u": "curl -u bob:{} https://nexus.internal/repository",
    "curl --user": "curl --user 'bob:{}' -T app.jar https://nexus.internal/repository",
    "curl proxy": "curl --proxy-user bob:{} https://example.com",
    "curl basic": "curl -H 'X-Auth-Password: {}' https://nexus.internal",
    "curl form": "curl -d 'username=bob&password={}' https://app.internal/login",
    "curl json": 'curl -d \'{{"user": "bob", "password": "{}"}}\' https://app.internal/login',
    "wget --password": "wget --user=bob --password={} https://files.internal/x.zip",
    "wget --http-password": "wget --http-user=bob --http-password='{}' https://files.internal/x",
    "http -a": "http -a bob:{} https://app.internal/api",
    "httpie --auth": "http --auth bob:{} GET app.internal/api",
    "lftp": "lftp -u bob,{} ftp.internal",
    "smbclient": "smbclient //srv/share -U bob%{}",
    "mount cifs": "mount -t cifs //srv/share /mnt -o username=bob,password={}",
    "net use": "net use Z: \\\\srv\\share {} /user:bob",
    "rdp": "xfreerdp /u:bob /p:{} /v:10.0.0.9",
    "openssl passin": "openssl rsa -in key.pem -passin pass:{} -out plain.pem",
    "openssl passout": "openssl pkcs12 -export -in c.pem -out c.p12 -passout pass:{}",
    "openssl enc -k": "openssl enc -aes-256-cbc -k {} -in a -out b",
    "gpg --passphrase": "gpg --batch --yes --passphrase {} -c backup.tar",
    "gpg passphrase fd": "gpg --batch --passphrase-fd 0 -d b.gpg <<< {}",
    "ssh-keygen -N": "ssh-keygen -t ed25519 -N '{}' -f id_app",
    "keytool": "keytool -importkeystore -srcstorepass {} -destkeystore app.jks",
    "keytool storepass": "keytool -list -keystore app.jks -storepass {}",
    "jarsigner": "jarsigner -keystore app.jks -storepass {} app.jar release",
    "htpasswd -b": "htpasswd -b .htpasswd bob {}",
    "htpasswd -cb": "htpasswd -cbB /etc/nginx/.htpasswd bob '{}'",
    "zip -P": "zip -P {} -r backup.zip data",
    "unzip -P": "unzip -P {} backup.zip",
    "7z -p": "7z a -p{} backup.7z data",
    "unrar": "unrar x -p{} backup.rar",
    "az login": "az login --service-principal -u app -p {} --tenant corp",
    "az sql": "az sql server create -n srv --admin-user bob --admin-password {}",
    "aws configure": "aws configure set aws_secret_access_key {}",
    "aws rds": "aws rds create-db-instance --master-username app --master-user-password {}",
    "gcloud sql": "gcloud sql users set-password app --instance=db --password={}",
    "helm --set": "helm install pg bitnami/postgresql --set auth.postgresPassword={}",
    "helm --set password": "helm upgrade app ./chart --set db.user=app,db.password={},replicas=2",
    "kubectl secret": "kubectl create secret generic db --from-literal=password={}",
    "kubectl literal": "kubectl create secret generic db --from-literal DB_PASS='{}' -n shop",
    "kubectl registry": "kubectl create secret docker-registry r --docker-password={}",
    "oc login": "oc login https://ocp.internal -u bob -p {}",
    "cf login": "cf login -a api.internal -u bob -p '{}'",
    "vault login": "vault login -method=userpass username=bob password={}",
    "vault kv put": "vault kv put secret/db password={}",
    "terraform var": "terraform apply -var 'db_password={}'",
    "ansible extra": "ansible-playbook site.yml -e ansible_become_pass={}",
    "twine": "twine upload -u bob -p {} dist/*",
    "npm config": "npm config set //npm.internal/:_password {}",
    "mvn": "mvn deploy -Drepo.password={}",
    "java -D": "java -Djavax.net.ssl.keyStorePassword={} -jar app.jar",
    "gradle -P": "./gradlew publish -PrepoPassword={}",
    "sonar": "sonar-scanner -Dsonar.login=bob -Dsonar.password={}",
    "git clone": "git clone https://bob:{}@git.internal/app.git",
    "git remote": "git remote set-url origin https://bob:{}@git.internal/app.git",
    "svn": "svn checkout --username bob --password {} https://svn.internal/app",
    "gh secret": "gh secret set DB_PASSWORD --body '{}'",
    "fly secrets": "fly secrets set DB_PASSWORD={} -a shop",
    "heroku config": "heroku config:set DB_PASSWORD={} -a shop",
    "rabbitmqctl": "rabbitmqctl add_user app {}",
    "rabbitmqctl change": "rabbitmqctl change_password app '{}'",
    "mosquitto": "mosquitto_pub -h mq -u app -P {} -t a -m b",
    "mosquitto_passwd": "mosquitto_passwd -b /etc/mosquitto/passwd app {}",
    "nmcli": "nmcli device wifi connect Office password {}",
    "wpa_passphrase": "wpa_passphrase Office {}",
    "openconnect": "echo {} | openconnect --passwd-on-stdin vpn.internal -u bob",
    "rclone": "rclone config create box webdav user bob pass {}",
    "rsync": "RSYNC_PASSWORD={} rsync -a data bob@files.internal::box",
    "restic": "RESTIC_PASSWORD='{}' restic -r /srv/repo snapshots",
    "ipmitool": "ipmitool -H 10.0.0.7 -U admin -P {} power status",
    "snmpwalk": "snmpwalk -v3 -u bob -l authPriv -a SHA -A {} 10.0.0.7",
    "expect": 'expect "assword:"\nsend "{}\\r"',
    "powershell securestring": "$p = ConvertTo-SecureString '{}' -AsPlainText -Force",
    "net user": "net user bob {} /add",
    "sql create user": "CREATE USER app IDENTIFIED BY '{}';",
    "sql alter role": "ALTER ROLE app WITH LOGIN PASSWORD '{}';",
    "sql set password": "SET PASSWORD FOR 'app'@'%' = PASSWORD('{}');",
    "sql create login": "CREATE LOGIN app WITH PASSWORD = '{}';",
    "in a shell block": "Run this:\n```sh\n$ docker login -u bob -p {} registry.internal\n```",
    "in json": '{{"command": "mysql -u root -p{} shop", "timeout": 3}}',
    "in json escaped": '{{"command": "docker login -u \\"bob\\" -p \\"{}\\" registry.internal"}}',
    "after &&": "cd /srv && sshpass -p {} ssh root@10.0.0.4",
}
"""Commands that are given a password."""

PROSE: dict[str, str] = {
    "en changed to": "The root password was changed to {} on Monday.",
    "en is": "The password for the staging box is {}.",
    "en colon": "Password: {}",
    "en new": "The new admin password is now {}, tell nobody.",
    "en set to": "I set the database password to {} for the tests.",
    "en with": "Log in as admin with the password {} and press save.",
    "en use": "Use {} as the password for the demo user.",
    "en login": "Login: bob / {}",
    "en user password": "Credentials are admin / {}.",
    "en passphrase": "The passphrase of the key is “{}”.",
    "en wifi": "The wifi password in the office is {}.",
    "en pin": "my pw: {}",
    "en dash": "password - {}",
    "en code": "The login password is `{}` for all test users.",
    "ru is": "Пароль от сервера: {}",
    "ru changed": "Пароль root поменяли на {}, запомни.",
    "ru equals": "пароль для базы — {}.",
    "ru with": "Заходи под admin с паролем {} и проверь.",
    "es is": "La contraseña de la base de datos es {}.",
    "es colon": "Contraseña: {}",
    "es changed": "Cambié la contraseña de root a {} ayer.",
    "es with": "Entra con la clave {} en el servidor.",
    "de colon": "Passwort: {}",
    "de is": "Das Passwort für den Server lautet {}.",
    "de changed": "Das Root-Passwort wurde auf {} geändert.",
    "de word": "Das Kennwort ist {}, bitte nicht weitergeben.",
    "fr colon": "Mot de passe : {}",
    "fr is": "Le mot de passe de la base est {}.",
    "fr changed": "J'ai changé le mot de passe root en {} hier.",
    "fr short": "mdp: {}",
    "pt colon": "Senha: {}",
    "pt is": "A senha do banco de dados é {}.",
    "pt changed": "A senha do root foi alterada para {} hoje.",
    "pt word": "A palavra-passe do servidor é {}.",
    "zh colon": "密码：{}",
    "zh is": "数据库的密码是 {}，不要告诉别人。",
    "zh tight": "root密码改成了{}。",
    "zh word": "登录口令为 {}。",
    "ja colon": "パスワード：{}",
    "ja is": "サーバーのパスワードは {} です。",
    "ja changed": "rootのパスワードを {} に変更しました。",
    "ja tight": "パスワードは「{}」です。",
    "ko colon": "비밀번호: {}",
    "ko is": "서버 비밀번호는 {} 입니다.",
    "ko changed": "루트 비밀번호를 {} 로 바꿨습니다.",
    "ko word": "관리자 암호는 {}이다.",
}
"""Sentences about a password in nine languages."""

CODE: dict[str, str] = {
    "python assignment": "password = '{}'",
    "python typed": 'DB_PASSWORD: str = "{}"',
    "python keyword": "connect(host='db', user='app', password='{}')",
    "python keyword passwd": 'pymysql.connect(host="db", user="root", passwd="{}", db="shop")',
    "python dict": "DATABASES = {{'USER': 'app', 'PASSWORD': '{}'}}",
    "python tuple": "requests.get(url, auth=('bob', '{}'))",
    "python basic auth": 'HTTPBasicAuth("bob", "{}")',
    "python setattr": "config['db']['password'] = '{}'",
    "python login": "smtp.login('bob@example.com', '{}')",
    "python default": "password = os.getenv('DB_PASSWORD', '{}')",
    "javascript object": "const db = {{ user: 'app', password: '{}' }};",
    "javascript set": 'user.setPassword("{}");',
    "javascript fill": "await page.fill('#password', '{}');",
    "javascript type": 'cy.get("input[name=password]").type("{}")',
    "javascript fallback": "const pass = process.env.DB_PASS || '{}';",
    "typescript field": "private password: string = '{}';",
    "java manager": 'DriverManager.getConnection(url, "app", "{}");',
    "java properties": 'props.setProperty("password", "{}");',
    "java put": 'props.put("db.password", "{}");',
    "java annotation": '@Value("${{db.password:{}}}")',
    "go struct": 'cfg := Config{{User: "app", Password: "{}"}}',
    "go sprintf": 'dsn := "app:{}@tcp(db:3306)/shop"',
    "rust builder": 'Config::new().user("app").password("{}")',
    "ruby hash": "{{ username: 'app', password: '{}' }}",
    "ruby rocket": ":password => '{}',",
    "php array": "'password' => '{}',",
    "php pdo": "new PDO('mysql:host=db', 'root', '{}');",
    "php mysqli": 'mysqli_connect("localhost", "root", "{}", "shop");',
    "csharp connection": 'var cs = "Server=db;User Id=sa;Password={};Encrypt=true";',
    "csharp credential": 'new NetworkCredential("bob", "{}");',
    "jdbc": 'String url = "jdbc:mysql://db/shop?user=app&password={}";',
    "swift": 'let password = "{}"',
    "kotlin": 'val dbPassword = "{}"',
    "bash variable": "PASS='{}'",
    "bash default": 'DB_PASSWORD="${{DB_PASSWORD:-{}}}"',
    "sql insert": "INSERT INTO users (name, password) VALUES ('bob', '{}');",
    "yaml": "database:\n  user: app\n  password: {}\n",
    "yaml compose": "environment:\n  - POSTGRES_PASSWORD={}\n  - POSTGRES_USER=app",
    "toml": 'password = "{}"',
    "ini": "[client]\nuser=root\npassword={}",
    "hcl": 'administrator_login_password = "{}"',
    "nix": 'initialPassword = "{}";',
    "cloud-init": "chpasswd:\n  list: |\n    root:{}",
    "dockerfile": "ENV POSTGRES_PASSWORD {}",
    "github workflow": "env:\n  DB_PASSWORD: {}",
    "vim modeline": "let g:db_password = '{}'",
    "r": 'dbConnect(drv, user = "app", password = "{}")',
    "comparison": "if (password === '{}') login()",
    "assertion": 'assert check_password("bob", "{}")',
    "logged": "DEBUG login user=bob password={} ip=10.0.0.4",
}
"""Code and configuration with a password in it."""

MARKUP: dict[str, str] = {
    "element": "<password>{}</password>",
    "element lines": "<server>\n  <username>bob</username>\n  <password>\n    {}\n  </password>\n</server>",
    "element attributes": '<password encrypted="false">{}</password>',
    "element prefix": "<ns:userPassword>{}</ns:userPassword>",
    "element cdata": "<password><![CDATA[{}]]></password>",
    "element plist": "<key>Password</key>\n<string>{}</string>",
    "attribute": '<user name="bob" password="{}"/>',
    "attribute add": '<add key="DbPassword" value="{}" />',
    "attribute name": '<property name="javax.persistence.jdbc.password" value="{}"/>',
    "attribute bean": '<property name="password" value="{}"/>',
    "attribute nuget": '<add key="ClearTextPassword" value="{}" />',
    "attribute connection": '<add name="Db" connectionString="Server=db;Uid=sa;Pwd={};"/>',
    "input": '<input type="password" name="pw" value="{}">',
    "entry": '<entry key="db.password">{}</entry>',
    "entities": "&lt;password&gt;{}&lt;/password&gt;",
    "quoted entities": "{{&quot;password&quot;: &quot;{}&quot;}}",
    "table cells": "<td>Password</td><td>{}</td>",
    "bold": "**Password:** {}",
    "bold html": "<b>Password:</b> {}",
    "definition": "<dt>Password</dt>\n<dd>{}</dd>",
    "markdown table": "| user | password |\n|---|---|\n| bob | {} |",
    "list": "* password: `{}`",
}
"""Markup with a password in it."""

ADDRESSES: dict[str, str] = {
    scheme: scheme + "://app:{}@host.internal" + rest
    for scheme, rest in {
        "postgres": ":5432/shop",
        "postgresql+asyncpg": "/shop",
        "mysql": ":3306/shop",
        "mysql+pymysql": "/shop",
        "mariadb": "/shop",
        "mongodb": ":27017/shop",
        "mongodb+srv": "/shop?retryWrites=true",
        "redis": ":6379/0",
        "rediss": ":6380",
        "amqp": ":5672/vhost",
        "amqps": "/vhost",
        "mqtt": ":1883",
        "mssql": "/shop",
        "oracle": ":1521/orcl",
        "clickhouse": ":9000/shop",
        "neo4j": ":7687",
        "bolt": ":7687",
        "couchbase": "/bucket",
        "http": "/path",
        "https": "/repo.git",
        "ftp": "/file.zip",
        "ftps": "/file.zip",
        "sftp": "/srv",
        "ssh": ":22",
        "smb": "/share",
        "ldap": ":389",
        "ldaps": "/dc=corp",
        "smtp": ":587",
        "smtps": ":465",
        "imap": ":143",
        "imaps": ":993",
        "pop3": ":110",
        "socks5": ":1080",
        "ws": "/chat",
        "wss": "/chat",
        "nats": ":4222",
        "kafka": ":9092",
        "elasticsearch": ":9200",
        "influxdb": ":8086",
        "rtsp": ":554/cam",
        "vnc": ":5900",
        "git+https": "/app.git",
        "davs": "/box",
        "snowflake": "/db",
        "trino": "/x",
        "cockroachdb": ":26257/x",
        "hdfs": ":8020",
        "xmpp": "",
        "sip": "",
        "svn+ssh": "/repo",
    }.items()
}
"""Addresses of any scheme with user and password."""


EVERYDAY = {
    "commands": COMMANDS,
    "prose": PROSE,
    "code": CODE,
    "markup": MARKUP,
    "addresses": ADDRESSES,
}
"""The templates of passwords, by group."""


def _in(template: str, value: Make) -> Write:
    """A writer of `template` with a secret of `value` in the place of `{}`."""

    def write(r: random.Random) -> tuple[str, str]:
        secret = value(r)
        return template.replace("{}", secret), secret

    return write


def _of(shape: str) -> Make:
    return lambda r: drawn(shape, r)


def _base64(of: Make) -> Make:
    return lambda r: base64.b64encode(of(r).encode()).decode()


def _seed_phrase(count: int) -> Make:
    return lambda r: " ".join(r.sample(SEED_WORDS, count))


_BASIC = _base64(_of("bob:[a-zA-Z0-9]{14}"))
WRITTEN: dict[str, Write] = {
    "seed phrase 12": _in("Seed phrase: {}", _seed_phrase(12)),
    "seed phrase 24": _in("mnemonic = '{}'", _seed_phrase(24)),
    "seed phrase alone": _in("I wrote these down: {}.", _seed_phrase(12)),
    "seed phrase 24 alone": _in("{}", _seed_phrase(24)),
    "s3 presigned url": _in(
        "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20310412T000000Z"
        "&X-Amz-Expires=900&X-Amz-Signature={}",
        _of("[0-9a-f]{64}"),
    ),
    "s3 signature v2": _in(
        "https://b.s3.amazonaws.com/k?AWSAccessKeyId=A&Expires=1900000000&Signature={}%3D",
        _of("[a-zA-Z0-9]{27}"),
    ),
    "azure sas": _in(
        "https://a.blob.core.windows.net/c?sv=2031-01-01&sp=r&se=2031-02-01&sig={}%3D",
        _of("[a-zA-Z0-9]{43}"),
    ),
    "gcs signed url": _in(
        "https://storage.googleapis.com/b/k?X-Goog-Expires=900&X-Goog-Signature={}",
        _of("[0-9a-f]{256}"),
    ),
    "cloudfront signed url": _in(
        "https://d1.cloudfront.net/a.mp4?Expires=19&Key-Pair-Id=K1&Signature={}__",
        _of("[a-zA-Z0-9_-~]{120}"),
    ),
    "sentry dsn": _in("SENTRY_DSN=https://{}@o12.ingest.sentry.io/345", _of("[0-9a-f]{32}")),
    "sentry dsn in code": _in(
        'Sentry.init({ dsn: "https://{}@o12.ingest.us.sentry.io/345" })', _of("[0-9a-f]{32}")
    ),
    "sentry dsn old": _in("https://0123abcd:{}@sentry.io/345", _of("[0-9a-f]{32}")),
    "npmrc _authToken": _in("//registry.npmjs.org/:_authToken={}", uuid),
    "npmrc _auth": _in("//npm.internal/:_auth={}", _BASIC),
    "npmrc _auth alone": _in("_auth = {}\nemail = bob@example.com", _BASIC),
    "npmrc _password": _in("//npm.internal/:_password={}", _base64(_of("[a-zA-Z0-9]{14}"))),
    "yarnrc": _in('npmAuthToken: "{}"', uuid),
    "pypirc": _in("[pypi]\nusername = bob\npassword = {}", _of("[a-zA-Z0-9]{14}")),
    "docker config auth": _in('{"auths": {"registry.internal": {"auth": "{}"}}}', _BASIC),
    "docker config escaped": _in(
        '{\\"auths\\": {\\"r.internal\\": {\\"auth\\": \\"{}\\"}}}', _BASIC
    ),
    "docker identity token": _in('{"identitytoken": "{}"}', _of("[a-zA-Z0-9]{60}")),
    "kubernetes secret": _in(
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: {}\n",
        _base64(_of("[a-zA-Z0-9]{14}")),
    ),
    "kubernetes secret any name": _in(
        "kind: Secret\nmetadata:\n  name: db\ntype: Opaque\ndata:\n  config: {}\n",
        _base64(_of("[a-zA-Z0-9]{14}")),
    ),
    "kubernetes stringData": _in(
        "kind: Secret\nmetadata:\n  name: db\nstringData:\n  admin-login: {}\n",
        _of("k7[a-zA-Z0-9]{12}"),
    ),
    "dockerconfigjson": _in(
        ".dockerconfigjson: {}", _base64(_of('{"auths":{"r":"[a-zA-Z0-9]{40}'))
    ),
    "kubeconfig key": _in("client-key-data: {}", _base64(_of("-----BEGIN [a-zA-Z0-9+/]{64}"))),
    "kubeconfig token": _in("users:\n- name: bob\n  user:\n    token: {}", _of("[a-zA-Z0-9]{40}")),
    "netrc": _in("machine api.internal login bob password {}", _of("[a-zA-Z0-9]{14}")),
    "netrc lines": _in(
        "machine api.internal\n  login bob\n  password {}\n", _of("[a-zA-Z0-9]{14}")
    ),
    "git-credentials": _in("https://bob:{}@git.internal", _of("[a-zA-Z0-9]{20}")),
    "git extraheader": _in('git -c http.extraheader="AUTHORIZATION: basic {}" fetch', _BASIC),
    "basic header": _in("Authorization: Basic {}", _BASIC),
    "basic header in code": _in("headers: { 'Authorization': 'Basic {}' }", _BASIC),
    "proxy header": _in("Proxy-Authorization: Basic {}", _BASIC),
    "digest header": _in(
        'Authorization: Digest username="bob", realm="x", response="{}"', _of("[0-9a-f]{32}")
    ),
    "token header": _in("Authorization: Token {}", _of("[0-9a-f]{40}")),
    "api key header": _in("X-API-Key: {}", uuid),
    "auth token header": _in("X-Auth-Token: {}", _of("[0-9a-f]{32}")),
    "gitlab header": _in("PRIVATE-TOKEN: {}", _of("[a-zA-Z0-9]{20}")),
    "cookie session": _in("Cookie: theme=dark; sessionid={}; lang=en", _of("[a-z0-9]{32}")),
    "cookie php": _in("Cookie: PHPSESSID={}", _of("[a-z0-9]{26}")),
    "cookie connect": _in("Cookie: connect.sid=s%3A{}", _of("[a-zA-Z0-9]{60}")),
    "set-cookie": _in("Set-Cookie: session={}; HttpOnly; Path=/", _of("[a-zA-Z0-9]{48}")),
    "slack cookie": _in("Cookie: d=xoxd-{}", _of("[a-zA-Z0-9%]{100}")),
    "csrf header": _in("X-CSRF-Token: {}", _of("[a-zA-Z0-9]{48}")),
    "htpasswd apr1": _in("bob:$apr1$k3Jd8Lq0${}", _of("[a-zA-Z0-9./]{22}")),
    "htpasswd sha": _in("bob:{SHA}{}=", _of("[a-zA-Z0-9+/]{27}")),
    "shadow line": _in("root:$6$k3Jd8Lq0${}:19000:0:99999:7:::", _of("[a-zA-Z0-9./]{86}")),
    "bcrypt": _in("hash is $2b$12${}", _of("[a-zA-Z0-9./]{53}")),
    "azure storage connection": _in(
        "DefaultEndpointsProtocol=https;AccountName=app;AccountKey={}==;"
        "EndpointSuffix=core.windows.net",
        _of("[a-zA-Z0-9+/]{86}"),
    ),
    "azure service bus": _in(
        "Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}=",
        _of("[a-zA-Z0-9+/]{43}"),
    ),
    "azure iot": _in(
        "HostName=a.azure-devices.net;DeviceId=d;SharedAccessKey={}=", _of("[a-zA-Z0-9+/]{43}")
    ),
    "ado connection": _in("Data Source=db;User ID=sa;Password={};", _of("[a-zA-Z0-9]{12}")),
    "odbc connection": _in("Driver=ODBC;Server=db;UID=sa;PWD={};", _of("[a-zA-Z0-9]{12}")),
    "aws credentials file": _in(
        "[default]\naws_access_key_id = AKIA2222222222222222\naws_secret_access_key = {}\n",
        _of("[a-zA-Z0-9/+]{40}"),
    ),
    "aws session token": _in("aws_session_token={}", _of("[a-zA-Z0-9+/]{300}")),
    "django secret key": _in("SECRET_KEY = 'django-insecure-{}'", _of("[a-z0-9!@#%^&*=+_-]{50}")),
    "laravel app key": _in("APP_KEY=base64:{}=", _of("[a-zA-Z0-9+/]{43}")),
    "rails master key": _in("config/master.key: {}", _of("[0-9a-f]{32}")),
    "rails secret_key_base": _in("secret_key_base: {}", _of("[0-9a-f]{128}")),
    "wordpress salt": _in("define('AUTH_KEY', '{}');", _of("[a-zA-Z0-9!@#%^&*<>~+=,.;:/?|_-]{64}")),
    "flask secret": _in("app.secret_key = b'{}'", _of("[a-zA-Z0-9_/]{24}")),
    "jwt secret": _in("JWT_SECRET={}", _of("[a-zA-Z0-9]{32}")),
    "session secret": _in("app.use(session({ secret: '{}' }))", _of("[a-zA-Z0-9]{24}")),
    "encryption key": _in("ENCRYPTION_KEY={}", _of("[0-9a-f]{64}")),
    "wireguard private": _in("[Interface]\nPrivateKey = {}=\n", _of("[a-zA-Z0-9+/]{43}")),
    "wireguard preshared": _in("PresharedKey = {}=", _of("[a-zA-Z0-9+/]{43}")),
    "ethereum private key": _in("PRIVATE_KEY=0x{}", _of("[0-9a-f]{64}")),
    "ethereum key in code": _in('new ethers.Wallet("0x{}")', _of("[0-9a-f]{64}")),
    "bitcoin wif": _in(
        "wif: {}", _of("K[123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz]{51}")
    ),
    "bitcoin xprv": _in(
        "{}", _of("xprv[123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz]{107}")
    ),
    "solana keypair": _in("keypair: {}", lambda r: str([r.randrange(256) for _ in range(64)])),
    "otpauth url": _in("otpauth://totp/App:bob?secret={}&issuer=App", _of("[A-Z234567]{32}")),
    "totp secret": _in("TOTP secret: {}", _of("[A-Z234567]{16}")),
    "jwk private": _in(
        '{"kty": "EC", "crv": "P-256", "x": "ab", "d": "{}"}', _of("[a-zA-Z0-9_-]{43}")
    ),
    "vapid private key": _in("VAPID_PRIVATE_KEY={}", _of("[a-zA-Z0-9_-]{43}")),
    "magic link": _in("https://app.internal/login/callback?token={}", _of("[a-zA-Z0-9]{40}")),
    "reset link": _in("https://app.internal/reset?reset_token={}", _of("[0-9a-f]{40}")),
    "url fragment token": _in(
        "https://app.internal/#access_token={}&token_type=bearer", _of("[a-zA-Z0-9]{40}")
    ),
    "oauth code exchange": _in(
        "grant_type=refresh_token&refresh_token={}&x=1", _of("[a-zA-Z0-9]{40}")
    ),
    "url user token": _in("https://{}@git.internal/app.git", _of("[0-9a-f]{40}")),
    "url x-access-token": _in(
        "https://x-access-token:{}@github.com/a/b.git", _of("[a-zA-Z0-9]{40}")
    ),
    "url oauth2": _in("git clone https://oauth2:{}@gitlab.internal/a/b", _of("[a-zA-Z0-9]{20}")),
    "websocket token": _in("wss://live.internal/socket?auth={}", _of("[a-zA-Z0-9]{32}")),
    "webhook secret path": _in("https://ci.internal/hook?secret={}", _of("[0-9a-f]{32}")),
    "rfc2617 in log": _in("> authorization: Basic {}", _BASIC),
    "ssh private key": _in(
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----",
        _of("[a-zA-Z0-9+/]{70}"),
    ),
    "pgp private key": _in(
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{}\n-----END PGP PRIVATE KEY BLOCK-----",
        _of("[a-zA-Z0-9+/]{64}"),
    ),
    "certificate key in json": _in(
        '"private_key": "-----BEGIN PRIVATE KEY-----\\n{}\\n-----END PRIVATE KEY-----\\n"',
        _of("[a-zA-Z0-9+/]{64}"),
    ),
    "rsa xml": _in("<RSAKeyValue><D>{}</D></RSAKeyValue>", _of("[a-zA-Z0-9+/]{172}")),
    "license key": _in("LICENSE_KEY={}", _of("-".join(["[A-Z0-9]{5}"] * 5))),
    "pin": _in("The PIN of the card is {}.", _of("[123456789]{4}")),
    "recovery code": _in("recovery code: {}", _of("[a-z0-9]{5}-[a-z0-9]{5}")),
}
"""Files, headers and addresses that hold a secret, by form."""


def _joined(key: str, between: str) -> str:
    return between.join((key[:9], key[9:18], key[18:]))


SPLITS: dict[str, Callable[[str], str]] = {
    "zero-width space": lambda key: _joined(key, "\u200b"),
    "zero-width joiner": lambda key: _joined(key, "\u200d"),
    "word joiner": lambda key: _joined(key, "\u2060"),
    "byte order mark": lambda key: _joined(key, "\ufeff"),
    "soft hyphen": lambda key: _joined(key, "\u00ad"),
    "every character zero-width": "\u200b".join,
    "wbr": lambda key: _joined(key, "<wbr>"),
    "wbr closed": lambda key: _joined(key, "<wbr/>"),
    "entity zero-width": lambda key: _joined(key, "&#8203;"),
    "entity shy": lambda key: _joined(key, "&shy;"),
    "bold": lambda key: f"{key[:9]}<b>{key[9:15]}</b>{key[15:]}",
    "span": lambda key: f'{key[:9]}<span class="k">{key[9:]}</span>',
    "markdown bold": lambda key: f"{key[:9]}**{key[9:15]}**{key[15:]}",
    "entity encoded": lambda key: "".join(
        f"&#{ord(c)};" if c in "_-" or c == key[7] else c for c in key
    ),
    "hex entities": lambda key: "".join(f"&#x{ord(c):x};" for c in key),
    "percent encoded": lambda key: "".join(
        f"%{ord(c):02X}" if c in "_-" or c == key[6] else c for c in key
    ),
    "unicode escapes": lambda key: "".join(
        f"\\u{ord(c):04x}" if c in "_-" or c == key[6] else c for c in key
    ),
    "markdown escape": lambda key: key.replace("_", "\\_").replace("-", "\\-"),
    "dots in fours": lambda key: ".".join(key[i : i + 4] for i in range(0, len(key), 4)),
    "dots every character": ".".join,
    "spaces in fours": lambda key: " ".join(key[i : i + 4] for i in range(0, len(key), 4)),
    "string sum": lambda key: f'{key[:9]}" + "{key[9:]}',
    "line break": lambda key: f"{key[:12]}\n{key[12:]}",
    "backslash line": lambda key: f"{key[:12]}\\\n{key[12:]}",
    "fullwidth": lambda key: "".join(chr(ord(c) + 0xFEE0) if c.isalnum() else c for c in key),
}
"""How the characters of a key are kept apart, by the kind of what is between them."""
