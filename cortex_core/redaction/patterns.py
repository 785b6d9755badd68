"""The formats of keys that Cortex knows: a table of data.

Every key of a format contains one of its anchors, which are literal strings; a text without them is
not searched for the format. Patterns are bounded, so that no text makes them slow.
"""

from __future__ import annotations

from typing import NamedTuple


class SecretSpan(NamedTuple):
    """A part of a text that is a secret, and the name of its kind, such as `password`."""

    start: int
    end: int
    name: str


class Format(NamedTuple):
    """The format of one issuer's keys: a fixed head, then a random body."""

    name: str
    """What replaces the key in the text."""
    anchors: tuple[str, ...]
    """Literal strings; every key of this format contains one of them."""
    head: str
    """Regular expression of the fixed beginning."""
    body: str
    """Character class of the random part, without its brackets."""
    least: int
    """Fewest characters of the random part."""
    most: int = 512
    """Most characters of the random part; when it equals `least`, no letter or digit may follow."""
    inside: bool = False
    """Whether the head is so specific that it counts in the middle of a word too."""
    needs: str = ""
    """A string that the random part must contain."""


class Shape(NamedTuple):
    """A key without a fixed head, recognised as a whole word by its length and its parts."""

    name: str
    pattern: str


WORD = "A-Za-z0-9"
DASHED = r"\w\-"
DOTTED = r"\w.\-"
HEX = "0-9a-f"

FORMATS: tuple[Format, ...] = (
    Format("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA"), "A[KSBC][IC]A", "A-Z0-9", 16, 16),
    Format("aws-access-key", ("A3T",), "A3T", "A-Z0-9", 17, 17),
    Format(
        "aws-bedrock-key", ("ABSK", "bedrock-api-key-"), "(?:ABSK|bedrock-api-key-)", r"\w+/=", 80
    ),
    Format("google-api-key", ("AIza",), "AIza", DASHED, 35, 35, inside=True),
    Format("google-oauth-token", ("ya29.",), r"ya29\.", DASHED, 20, 1024),
    Format("google-oauth-secret", ("GOCSPX-",), "GOCSPX-", DASHED, 20, inside=True),
    Format("google-refresh-token", ("1//0",), "1//0", DASHED, 30),
    Format(
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        "gh[pousr]_",
        "A-Za-z0-9_",
        30,
        inside=True,
    ),
    Format("github-token", ("github_pat_",), "github_pat_", "A-Za-z0-9_", 40, inside=True),
    Format(
        "gitlab-token",
        ("glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glft-", "glimt-", "glagent-"),
        "gl(?:pat|dt|rt|ptt|cbt|soat|ft|imt|agent)-",
        DOTTED,
        20,
    ),
    Format("gitlab-token", ("GR1348941",), "GR1348941", DASHED, 20, inside=True),
    Format("slack-token", ("xox", "XOX"), "(?i:xox[abdeoprs])[-.]", DOTTED, 12),
    Format("slack-token", ("xapp-",), "xapp-", DASHED, 20),
    Format(
        "slack-webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/",
        r"\w/\-",
        20,
        inside=True,
    ),
    Format("stripe-key", ("_live_", "_test_"), "(?:sk|rk)_(?:live|test)_", WORD, 16),
    Format("webhook-secret", ("whsec_",), "whsec_", "A-Za-z0-9+/=", 20),
    Format("anthropic-key", ("sk-ant-",), "sk-ant-", DASHED, 20, inside=True),
    Format("openrouter-key", ("sk-or-",), "sk-or-", DASHED, 20),
    Format(
        "openai-key",
        ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"),
        "sk-(?:proj|svcacct|admin|None)-",
        DASHED,
        20,
    ),
    Format("openai-key", ("sk-",), "sk-", WORD, 20),
    Format("openai-key", ("T3BlbkFJ",), r"sk-[\w\-]{10,120}T3BlbkFJ", DASHED, 10),
    Format("huggingface-token", ("hf_", "api_org_"), "(?:hf_|api_org_)", WORD, 30),
    Format("npm-token", ("npm_",), "npm_", WORD, 36),
    Format("pypi-token", ("pypi-A",), "pypi-A", DASHED, 30, 1024),
    Format("pypi-token", ("pypi-",), "pypi-", "A-Za-z0-9_", 32, 1024),
    Format("rubygems-key", ("rubygems_",), "rubygems_", HEX, 40),
    Format("cargo-token", ("cio",), "cio", WORD, 32, 32),
    Format("nuget-key", ("oy2",), "oy2", "a-z0-9", 43, 43),
    Format("clojars-token", ("CLOJARS_",), "CLOJARS_", "a-z0-9", 60, inside=True),
    Format("docker-token", ("dckr_",), "dckr_[po]at_", DASHED, 20, inside=True),
    Format("sendgrid-key", ("SG.",), r"SG\.[\w\-]{16,32}\.", DASHED, 16, 64),
    Format("twilio-key", ("AC", "SK"), "(?:AC|SK)", HEX, 32, 32),
    Format("mailgun-key", ("key-",), r"(?<![_\-])key-", HEX, 32, 32),
    Format("brevo-key", ("xkeysib-", "xsmtpsib-"), "x(?:key|smtp)sib-", DASHED, 40, inside=True),
    Format("resend-key", ("re_",), "re_[A-Za-z0-9]{6,12}_", WORD, 16),
    Format("telegram-token", (":A",), "[0-9]{8,10}:", DASHED, 34, 35, inside=True),
    Format("discord-token", ("mfa.",), r"mfa\.", DASHED, 60),
    Format(
        "discord-webhook",
        ("/api/webhooks/",),
        r"discord(?:app)?\.com/api/webhooks/[0-9]{6,22}/",
        DASHED,
        40,
        inside=True,
    ),
    Format(
        "teams-webhook",
        ("webhook.office.com/",),
        r"webhook\.office\.com/webhookb2/[0-9a-f\-]{36}@[0-9a-f\-]{36}/IncomingWebhook/",
        r"\w/\-",
        32,
        inside=True,
    ),
    Format("json-web-token", ("eyJ",), "eyJ", r"\w.\-=", 24, 4000, needs="."),
    Format("databricks-token", ("dapi",), "dapi", r"0-9a-f\-", 32),
    Format("digitalocean-token", ("_v1_",), "do[opr]_v1_", HEX, 64),
    Format("doppler-token", ("dp.",), r"dp\.[a-z]{2,6}\.", DOTTED, 32),
    Format("fly-token", ("fo1_", "fm1", "fm2"), "f(?:o1|m[12][a-z]?)_", r"\w+/=,\-", 40, 2000),
    Format("grafana-token", ("glc_", "glsa_"), "gl(?:c|sa)_", r"\w+/=", 30),
    Format("vault-token", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.", DASHED, 20),
    Format("linear-key", ("lin_",), "lin_(?:api|oauth|wh)_", WORD, 32),
    Format("notion-token", ("ntn_",), "ntn_", WORD, 32),
    Format("notion-token", ("secret_",), "secret_", WORD, 43, 43),
    Format(
        "newrelic-key",
        ("NRAK-", "NRII-", "NRJS-", "NRAL-"),
        "NR(?:AK|II|JS|AL)-",
        DASHED,
        19,
        inside=True,
    ),
    Format("netlify-token", ("nfp_",), "nfp_", WORD, 30),
    Format("vercel-token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), "vc[piark]_", WORD, 20),
    Format("vercel-blob-token", ("vercel_blob_rw_",), "vercel_blob_rw_", r"\w", 30, inside=True),
    Format("planetscale-token", ("pscale_",), "pscale_[a-z]{2,6}_", DOTTED, 30),
    Format("postman-key", ("PMAK-",), "PMAK-", r"0-9a-f\-", 50),
    Format("pulumi-token", ("pul-",), "pul-", HEX, 40),
    Format("sentry-token", ("sntrys_", "sntryu_"), "sntry[su]_", r"\w+/=", 40, 2000),
    Format(
        "shopify-token",
        ("shpat_", "shpss_", "shpca_", "shppa_"),
        "shp(?:at|ss|ca|pa)_",
        "0-9a-fA-F",
        32,
    ),
    Format("square-token", ("sq0",), "sq0[a-z]{3}-", DASHED, 22),
    Format("square-token", ("EAAA",), "EAAA", DASHED, 60),
    Format("facebook-token", ("EAA",), "EAA[A-Za-z]", WORD, 80),
    Format("supabase-key", ("sbp_", "sb_secret_"), "(?:sbp_|sb_secret_)", DASHED, 20),
    Format("tailscale-key", ("tskey-",), "tskey-", DASHED, 20),
    Format("perplexity-key", ("pplx-",), "pplx-", WORD, 32),
    Format("groq-key", ("gsk_",), "gsk_", WORD, 32),
    Format("replicate-token", ("r8_",), "r8_", WORD, 32),
    Format("xai-key", ("xai-",), "xai-", WORD, 40),
    Format("nvidia-key", ("nvapi-",), "nvapi-", DASHED, 40),
    Format("pinecone-key", ("pcsk_",), "pcsk_", r"\w", 40),
    Format("langsmith-key", ("lsv2_", "ls__"), "(?:lsv2_[ps][tk]_|ls__)", "0-9a-f_", 32),
    Format("airtable-token", ("pat",), r"pat[A-Za-z0-9]{14}\.", HEX, 64, 64),
    Format("atlassian-token", ("ATATT3", "ATCTT3", "ATBB"), "AT(?:ATT3|CTT3|BB)", r"\w\-=", 24),
    Format("dropbox-token", ("sl.",), r"sl\.(?:u\.)?", DASHED, 100, 2000),
    Format("dynatrace-token", ("dt0",), r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.", "A-Z0-9", 64),
    Format("figma-token", ("figd_", "figo_"), "fig[do]_", DASHED, 30),
    Format("contentful-token", ("CFPAT-",), "CFPAT-", DASHED, 40, inside=True),
    Format("artifactory-token", ("AKC",), "AKC", WORD, 60),
    Format("mapbox-token", ("sk.eyJ",), r"sk\.eyJ", DOTTED, 40),
    Format("posthog-key", ("phx_",), "phx_", WORD, 32),
    Format("heroku-key", ("HRKU-",), "HRKU-", DASHED, 32),
    Format("circleci-token", ("CCIPAT_", "CCIPRJ_"), "CCIP(?:AT|RJ)_", DASHED, 30, inside=True),
    Format("buildkite-token", ("bkua_",), "bkua_", HEX, 40),
    Format("sonar-token", ("sqp_", "squ_", "sqa_"), "sq[pua]_", HEX, 40),
    Format("adafruit-key", ("aio_",), "aio_", WORD, 28, 28),
    Format("typeform-token", ("tfp_",), "tfp_", DASHED, 40),
    Format("onepassword-token", ("ops_eyJ",), "ops_eyJ", r"\w\-=", 80, 2000),
    Format("elevenlabs-key", ("sk_",), "sk_", HEX, 48, 48),
    Format("age-key", ("AGE-SECRET-KEY-",), "(?i:AGE-SECRET-KEY-1)", WORD, 40, inside=True),
    Format("firebase-key", ("AAAA",), r"AAAA[\w\-]{7}:", DASHED, 100),
    Format("onepassword-key", ("A3-",), "A3-[A-Z0-9]{6}-", "A-Z0-9-", 28, 36),
    Format("adobe-secret", ("p8e-",), "p8e-", "a-zA-Z0-9", 32, 32),
    Format(
        "authress-key",
        (".acc-", ".acc_"),
        r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}"
        r"\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.",
        r"\w+/=\-",
        30,
        200,
    ),
    Format("clickhouse-key", ("4b1d",), "4b1d", WORD, 38, 38),
    Format("cloudflare-key", ("v1.0-",), r"v1\.0-[0-9a-f]{24}-", HEX, 100, 200),
    Format("defined-networking-key", ("dnkey-",), "dnkey-", r"\w=\-", 40),
    Format("duffel-token", ("duffel_",), "duffel_(?:test|live)_", r"\w=\-", 30),
    Format("easypost-key", ("EZAK", "EZTK"), "EZ[AT]K", WORD, 54, 54),
    Format("endorlabs-key", ("endr+",), r"endr\+", DASHED, 16, 40),
    Format("flutterwave-key", ("FLWSECK", "FLWPUBK"), "FLW(?:SEC|PUB)K(?:_TEST)?-", DASHED, 12),
    Format("frameio-token", ("fio-u-",), "fio-u-", r"\w=\-", 40),
    Format("gitlab-token", ("glffct-", "gloas-"), "gl(?:ffct|oas)-", DASHED, 20),
    Format("gocardless-token", ("live_",), "live_", r"\w=\-", 40, 40),
    Format("harness-key", ("pat.", "sat."), r"(?:pat|sat)\.[\w\-]{22}\.", DOTTED, 40, 50),
    Format("infracost-key", ("ico-",), "ico-", WORD, 32, 32),
    Format("intra42-secret", ("s-s4t2",), "s-s4t2(?:ud|af)-", HEX, 64),
    Format("json-web-token", ("ZXlK",), "ZXlK", r"\w+/=\-", 60, 6000),
    Format("lob-key", ("live_", "test_"), "(?:live|test)_(?:pub_)?", HEX, 31, 35),
    Format("mailgun-key", ("pubkey-",), "pubkey-", HEX, 32, 32),
    Format("mapbox-token", ("pk.",), r"pk\.", DOTTED, 80, 120),
    Format("maxmind-key", ("_mmk",), "[A-Za-z0-9]{6}_", r"\w", 33, 33, needs="_mmk"),
    Format("octopus-key", ("API-",), "API-", "A-Z0-9", 26, 26),
    Format("openshift-token", ("sha256~",), "sha256~", DASHED, 43, 43),
    Format(
        "plaid-token",
        ("access-",),
        "access-(?:sandbox|development|production)-",
        r"0-9a-f\-",
        36,
        36,
    ),
    Format("planetscale-token", ("pscale_",), "pscale_[a-z]{2,6}_", r"\w=.\-", 30),
    Format("prefect-key", ("pnu_",), "pnu_", WORD, 36, 36),
    Format("readme-key", ("rdme_",), "rdme_", "a-z0-9", 60),
    Format("scalingo-token", ("tk-us-",), "tk-us-", DASHED, 40),
    Format("settlemint-token", ("sm_aat_", "sm_pat_", "sm_sat_"), "sm_[aps]at_", WORD, 16),
    Format("shippo-token", ("shippo_",), "shippo_(?:live|test)_", "0-9a-fA-F", 40),
    Format("sourcegraph-token", ("sgp_", "slk_"), "s(?:gp|lk)_(?:local_|[0-9a-f]{16}_)?", WORD, 40),
    Format("stripe-key", ("_prod_",), "(?:sk|rk)_prod_", WORD, 10),
    Format("stripe-key", ("_secret_",), "(?:pi|seti)_[A-Za-z0-9]{14,30}_secret_", WORD, 20),
    Format("yandex-token", ("t1.",), r"t1\.[\w\-]{20,200}={0,2}\.", r"\w=\-", 80),
    Format("yandex-key", ("AQVN", "YC"), "(?:AQVN|YC)", DASHED, 35, 38),
    Format("alibaba-key", ("LTAI",), "LTAI", WORD, 12, 24),
    Format("tencent-key", ("AKID",), "AKID", WORD, 32, 32),
    Format("apify-token", ("apify_api_",), "apify_api_", WORD, 30),
    Format(
        "azure-key",
        ("AzFu", "AzSe", "AzCa", "AzAP", "ACDb", "+ASb", "+AEh", "+ACR", "+ARm", "+AIo"),
        r"[\w+/\-]{30,80}(?:AzFu|AzSe|AzCa|AzAP|ACDb|\+A(?:Sb|Eh|CR|Rm|Io))",
        r"\w+/=\-",
        5,
        16,
    ),
    Format("bitbucket-password", ("ATBB",), "ATBB", WORD, 24),
    Format("clearbit-key", ("sk_",), "sk_", HEX, 32, 32),
    Format("clickup-token", ("pk_",), "pk_[0-9]{6,9}_", "0-9A-Z", 32, 32),
    Format("klaviyo-key", ("pk_",), "pk_", WORD, 34, 34),
    Format("freemius-key", ("sk_",), "sk_", WORD, 29, 29),
    Format("recharge-token", ("sk_",), "sk_[12]x[1-9]_", HEX, 64),
    Format("close-key", ("api_",), "api_", "A-Za-z0-9.", 45, 45),
    Format("finage-key", ("API_KEY",), "API_KEY", "0-9A-Z", 32, 32),
    Format("fleetbase-key", ("flb_",), "flb_(?:live|test)_", WORD, 20),
    Format("hubspot-token", ("pat-",), "pat-(?:na|eu)[0-9]-", r"0-9a-f\-", 36, 36),
    Format("langsmith-key", ("lsv2_",), "lsv2_[ps][tk]_", r"\w", 32),
    Format("launchdarkly-key", ("api-", "sdk-", "mob-"), "(?:api|sdk|mob)-", r"0-9a-f\-", 36, 36),
    Format("mandrill-key", ("md-",), "md-", DASHED, 22, 22),
    Format("nightfall-key", ("NF-",), "NF-", WORD, 32, 32),
    Format("pagerduty-key", ("u+",), r"u\+", DASHED, 18, 20),
    Format("ramp-secret", ("ramp_sec_",), "ramp_sec_", WORD, 40),
    Format("razorpay-key", ("rzp_",), "rzp_(?:live|test)_", WORD, 14),
    Format("rootly-key", ("rootly_",), "rootly_", HEX, 64),
    Format("saucelabs-token", ("oauth-",), "oauth-", "a-z0-9-", 14, 60),
    Format("smooch-key", ("act_",), "act_", "0-9a-z", 24, 24),
    Format("tavily-key", ("tvly-",), "tvly-", DASHED, 24),
    Format("teamwork-token", ("tkn.v1_",), r"tkn\.v1_", r"\w=", 60),
    Format("telnyx-key", ("KEY",), "KEY", DASHED, 55, 55),
    Format("trello-token", ("ATTA",), "ATTA", WORD, 64),
    Format("voiceflow-key", ("VF.",), r"VF\.[A-Z]{2,4}\.", DOTTED, 30),
    Format(
        "zapier-webhook",
        ("hooks.zapier.com/",),
        r"hooks\.zapier\.com/hooks/catch/",
        r"\w/",
        10,
        inside=True,
    ),
    Format("amazon-mws-token", ("amzn.mws.",), r"amzn\.mws\.", r"0-9a-f\-", 36, 36),
    Format("appsync-key", ("da2-",), "da2-", "a-z0-9", 26, 26),
    Format("brave-key", ("BSA",), "BSA", DASHED, 28, 28),
    Format("cerebras-key", ("csk-",), "csk-", WORD, 40),
    Format("composio-key", ("ak_",), "ak_", DASHED, 20, 20),
    Format("databento-key", ("db-",), "db-", WORD, 29, 29),
    Format("docker-token", ("SWMTKN-",), "SWMTKN-1-", "a-z0-9-", 60),
    Format("e2b-key", ("e2b_",), "e2b_", HEX, 40),
    Format("firecrawl-key", ("fc-",), "fc-", HEX, 32, 32),
    Format("fireworks-key", ("fw_",), "fw_", WORD, 20),
    Format("helicone-key", ("sk-helicone-", "pk-helicone-"), "[sp]k-helicone-", "a-z0-9-", 28),
    Format("honeycomb-key", ("hca", "hcb", "hcx"), "hc[abx][a-z]k_", "a-z0-9", 50),
    Format("infisical-token", ("st.",), r"st\.", "0-9a-f.", 60),
    Format("jina-key", ("jina_",), "jina_", DASHED, 50),
    Format("langfuse-key", ("sk-lf-",), "sk-lf-", r"0-9a-f\-", 36, 36),
    Format("modal-token", ("as-", "ak-"), "a[sk]-", WORD, 22, 22),
    Format("neon-key", ("napi_",), "napi_", WORD, 50),
    Format("packagist-token", ("packagist_",), "packagist_[ou]{1,2}[rt]{0,2}_", HEX, 60),
    Format(
        "braintree-token",
        ("access_token$",),
        r"access_token\$(?:production|sandbox)\$",
        "0-9a-z$",
        40,
    ),
    Format("pinterest-token", ("pina_",), "pina_", WORD, 40),
    Format("polar-token", ("polar_",), "polar_[a-z]{2,4}_", WORD, 30),
    Format("raycast-token", ("rca_",), "rca_", HEX, 64),
    Format("render-key", ("rnd_",), "rnd_", WORD, 24),
    Format("salesforce-token", ("00D",), "00D[A-Za-z0-9]{12,15}!", DOTTED, 60),
    Format("salesforce-token", ("5Aep861",), "5Aep861", DOTTED, 40),
    Format("together-key", ("tgp_v1_",), "tgp_v1_", DASHED, 40),
    Format("unkey-key", ("unkey_",), "unkey_", WORD, 20),
    Format("wandb-key", ("wandb_v1_",), "wandb_v1_", r"\w", 60),
    Format(
        "ansible-vault",
        ("$ANSIBLE_VAULT;",),
        r"\$ANSIBLE_VAULT;[0-9.]{3,4};AES256[\w;]{0,40}"
        r"(?:(?:\\r)?(?:\\n|\r?\n)|[ \t])[ \t]{0,40}",
        r"0-9a-f\s",
        40,
        60_000,
        inside=True,
    ),
    Format("bitcoin-key", ("xprv", "yprv", "zprv"), "[xyz]prv", WORD, 100),
    Format(
        "password-hash", ("{SHA}", "{SSHA}"), r"\{S?SHA\}", "A-Za-z0-9+/=", 28, 100, inside=True
    ),
    Format("password-hash", ("$apr1$",), r"\$apr1\$", r"\w$./", 20, 60, inside=True),
    Format(
        "password-hash",
        ("$2a$", "$2b$", "$2y$"),
        r"\$2[aby]\$[0-9]{2}\$",
        "A-Za-z0-9./",
        53,
        53,
        inside=True,
    ),
    Format(
        "password-hash",
        ("$argon2", "$scrypt$", "$y$", "$6$", "$5$", "$1$"),
        r"\$(?:argon2(?:id|i|d)|scrypt|y|6|5|1)\$",
        r"\w$.,=/+\-",
        20,
        300,
        inside=True,
    ),
)

SHAPES: tuple[Shape, ...] = (
    Shape("asana-token", "[12]/[0-9]{16}(?:/[0-9]{16})?:[a-z0-9]{32}"),
    Shape("avaza-token", "[0-9]{5,7}-[0-9a-f]{40}"),
    Shape("azure-client-secret", r"[\w~.\-]{3}[0-9]Q~[\w~.\-]{31,34}"),
    Shape("azure-storage-key", "[A-Za-z0-9+/]{86}=="),
    Shape("bitcoin-key", "[5KL][1-9A-HJ-NP-Za-km-z]{50,51}"),
    Shape("cloudflare-key", "[0-9a-f]{37}"),
    Shape("discord-token", r"[MNO][\w\-]{23,27}\.[\w\-]{6}\.[\w\-]{27,38}"),
    Shape("elasticemail-key", "(?=[0-9]*[A-F])[0-9A-F]{96}"),
    Shape("everhour-key", "[0-9a-f]{4}-[0-9a-f]{4}(?:-[0-9a-f]{6}){2}-[0-9a-f]{8}"),
    Shape("facebook-token", r"[0-9]{15,16}\|[\w\-]{27,40}"),
    Shape("jenkins-token", "11[0-9a-f]{32}"),
    Shape("mailchimp-key", "[0-9a-f]{32}-us[0-9]{1,2}"),
    Shape("newrelic-key", "[0-9a-f]{36}NRAL"),
    Shape("sidekiq-secret", "(?=[0-9:]*[a-f])[0-9a-f]{8}:[0-9a-f]{8}"),
    Shape("swiftype-key", "[A-Za-z0-9]{6}_[A-Za-z0-9]{6}-[A-Za-z0-9]{6}"),
    Shape("terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[\w\-=]{40,200}"),
    Shape("twitter-token", "[0-9]{15,25}-[A-Za-z0-9]{20,40}"),
    Shape("vault-token", r"[sb]\.(?=[A-Za-z]*[0-9])[A-Za-z0-9]{24}"),
    Shape("zhipu-key", r"[0-9a-f]{32}\.[A-Za-z0-9]{16}"),
)
"""Keys without a fixed head: each is a whole word of at least 14 characters, one a digit."""
