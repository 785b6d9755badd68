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
    """A key without a fixed head, recognised by its length and its end."""

    name: str
    anchor: str
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
    Format("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), "gh[pousr]_", "A-Za-z0-9_", 30,
           inside=True),
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
    Format("slack-webhook", ("hooks.slack.com/",),
           r"hooks\.slack\.com/(?:services|workflows|triggers)/", r"\w/\-", 20, inside=True),
    Format("stripe-key", ("_live_", "_test_"), "(?:sk|rk)_(?:live|test)_", WORD, 16),
    Format("webhook-secret", ("whsec_",), "whsec_", "A-Za-z0-9+/=", 20),
    Format("anthropic-key", ("sk-ant-",), "sk-ant-", DASHED, 20, inside=True),
    Format("openrouter-key", ("sk-or-",), "sk-or-", DASHED, 20),
    Format("openai-key", ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"),
           "sk-(?:proj|svcacct|admin|None)-", DASHED, 20),
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
    Format("telegram-token", (":",), "[0-9]{8,10}:", DASHED, 34, 35, inside=True),
    Format("discord-token", (".",), r"[MNO][A-Za-z0-9_\-]{23,27}\.[\w\-]{6}\.", DASHED, 27, 38),
    Format("discord-token", ("mfa.",), r"mfa\.", DASHED, 60),
    Format("discord-webhook", ("/api/webhooks/",),
           r"discord(?:app)?\.com/api/webhooks/[0-9]{6,22}/", DASHED, 40, inside=True),
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
    Format("newrelic-key", ("NRAK-", "NRII-", "NRJS-", "NRAL-"), "NR(?:AK|II|JS|AL)-", DASHED, 19,
           inside=True),
    Format("netlify-token", ("nfp_",), "nfp_", WORD, 30),
    Format("vercel-token", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), "vc[piark]_", WORD, 20),
    Format("vercel-blob-token", ("vercel_blob_rw_",), "vercel_blob_rw_", r"\w", 30, inside=True),
    Format("planetscale-token", ("pscale_",), "pscale_[a-z]{2,6}_", DOTTED, 30),
    Format("postman-key", ("PMAK-",), "PMAK-", r"0-9a-f\-", 50),
    Format("pulumi-token", ("pul-",), "pul-", HEX, 40),
    Format("sentry-token", ("sntrys_", "sntryu_"), "sntry[su]_", r"\w+/=", 40, 2000),
    Format("shopify-token", ("shpat_", "shpss_", "shpca_", "shppa_"), "shp(?:at|ss|ca|pa)_",
           "0-9a-fA-F", 32),
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
    Format("password-hash", ("$2a$", "$2b$", "$2y$"), r"\$2[aby]\$[0-9]{2}\$", "A-Za-z0-9./", 53,
           53, inside=True),
    Format("password-hash", ("$argon2", "$scrypt$", "$y$", "$6$", "$5$", "$1$"),
           r"\$(?:argon2(?:id|i|d)|scrypt|y|6|5|1)\$", r"\w$.,=/+\-", 20, 300, inside=True),
)  # fmt: skip

SHAPES: tuple[Shape, ...] = (
    Shape("azure-storage-key", "==", r"(?<![A-Za-z0-9+/\-])[A-Za-z0-9+/]{86}==(?!=)"),
    Shape("newrelic-key", "NRAL", r"(?<![A-Za-z0-9])[0-9a-f]{36}NRAL(?![A-Za-z0-9])"),
    Shape("mailchimp-key", "-us", r"(?<![A-Za-z0-9])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])"),
    Shape("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w\-=]{40,200}"),
    Shape("azure-client-secret", "Q~", r"[\w~.\-]{3}[0-9]Q~[\w~.\-]{31,34}(?![A-Za-z0-9])"),
)
"""Keys without a fixed head."""
