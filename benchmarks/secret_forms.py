"""The published formats of keys: who issues them, what a setting with one is called, how they look.

Facts from the rules of public detectors and the documentation of issuers: prefix, alphabet and
length. A line of a table is a form's name, the name of a variable with such a key, and its shape:
literal characters, classes with counts (`[0-9a-f]{32}`), alternatives in parentheses, and `@name`
for what is made by code. Nothing here is or was a working credential.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable, Iterator
from typing import NamedTuple

Make = Callable[[random.Random], str]


class KeyForm(NamedTuple):
    """One published format of a key: its prefix, alphabet and length."""

    group: str
    """Whose rules publish it."""
    form: str
    name: str
    """A variable with such a key, in upper case with underscores."""
    shape: str


_GITLEAKS = r"""
1password-secret-key        ONEPASSWORD_SECRET_KEY        A3-[A-Z0-9]{6}-[A-Z0-9]{11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}
1password-service-token     OP_SERVICE_ACCOUNT_TOKEN      ops_eyJ[a-zA-Z0-9+/]{260}
adafruit-api-key            ADAFRUIT_API_KEY              [a-z0-9_-]{32}
adobe-client-id             ADOBE_CLIENT_ID               [a-f0-9]{32}
adobe-client-secret         ADOBE_CLIENT_SECRET           p8e-[a-z0-9]{32}
age-secret-key              AGE_SECRET_KEY                AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}
airtable-api-key            AIRTABLE_API_KEY              [a-z0-9]{17}
airtable-personal-token     AIRTABLE_TOKEN                pat[A-Za-z0-9]{14}.[a-f0-9]{64}
algolia-api-key             ALGOLIA_API_KEY               [a-z0-9]{32}
alibaba-access-key-id       ALIBABA_ACCESS_KEY_ID         LTAI[a-zA-Z0-9]{20}
alibaba-secret-key          ALIBABA_SECRET_KEY            [a-z0-9]{30}
anthropic-admin-key         ANTHROPIC_ADMIN_KEY           sk-ant-admin01-[a-zA-Z0-9_-]{93}AA
anthropic-api-key           ANTHROPIC_API_KEY             sk-ant-api03-[a-zA-Z0-9_-]{93}AA
artifactory-api-key         ARTIFACTORY_API_KEY           AKCp[A-Za-z0-9]{69}
artifactory-reference-token ARTIFACTORY_TOKEN             cmVmd[A-Za-z0-9]{59}
asana-client-id             ASANA_CLIENT_ID               [0-9]{16}
asana-client-secret         ASANA_CLIENT_SECRET           [a-z0-9]{32}
atlassian-api-token         JIRA_API_TOKEN                [a-z0-9]{20}[a-f0-9]{4}
atlassian-api-token-long    CONFLUENCE_API_TOKEN          ATATT3[A-Za-z0-9_=-]{186}
authress-access-key         AUTHRESS_ACCESS_KEY           sc_[a-z0-9]{12}.[a-z0-9]{5}.acc-[a-z0-9-]{16}.[a-z0-9+/_=-]{60}
aws-access-token            AWS_ACCESS_KEY_ID             (AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}
aws-bedrock-long            AWS_BEARER_TOKEN_BEDROCK      ABSK[A-Za-z0-9+/]{109}
azure-ad-client-secret      AZURE_CLIENT_SECRET           [a-zA-Z0-9_~.]{3}[0-9]Q~[a-zA-Z0-9_~.-]{31}
beamer-api-token            BEAMER_API_TOKEN              b_[a-z0-9=_-]{44}
bitbucket-client-id         BITBUCKET_CLIENT_ID           [a-z0-9]{32}
bitbucket-client-secret     BITBUCKET_CLIENT_SECRET       [a-z0-9=_-]{64}
bittrex-access-key          BITTREX_ACCESS_KEY            [a-z0-9]{32}
bittrex-secret-key          BITTREX_SECRET_KEY            [a-z0-9]{32}
cisco-meraki-api-key        MERAKI_API_KEY                [0-9a-f]{40}
clickhouse-cloud-secret     CLICKHOUSE_SECRET_KEY         4b1d[A-Za-z0-9]{38}
clojars-api-token           CLOJARS_TOKEN                 CLOJARS_[a-z0-9]{60}
cloudflare-api-key          CLOUDFLARE_API_KEY            [a-z0-9_-]{40}
cloudflare-global-api-key   CLOUDFLARE_GLOBAL_API_KEY     [a-f0-9]{37}
cloudflare-origin-ca-key    CLOUDFLARE_ORIGIN_CA_KEY      v1.0-[a-f0-9]{24}-[a-f0-9]{146}
codecov-access-token        CODECOV_TOKEN                 [a-z0-9]{32}
cohere-api-token            COHERE_API_TOKEN              [a-zA-Z0-9]{40}
coinbase-access-token       COINBASE_ACCESS_TOKEN         [a-z0-9_-]{64}
confluent-access-token      CONFLUENT_ACCESS_TOKEN        [a-z0-9]{16}
confluent-secret-key        CONFLUENT_SECRET_KEY          [a-z0-9]{64}
contentful-delivery-token   CONTENTFUL_DELIVERY_TOKEN     [a-z0-9=_-]{43}
databricks-api-token        DATABRICKS_TOKEN              dapi[a-f0-9]{32}
datadog-access-token        DATADOG_ACCESS_TOKEN          [a-z0-9]{40}
defined-networking-token    DEFINED_NETWORKING_TOKEN      dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}
digitalocean-access-token   DIGITALOCEAN_ACCESS_TOKEN     doo_v1_[a-f0-9]{64}
digitalocean-pat            DIGITALOCEAN_TOKEN            dop_v1_[a-f0-9]{64}
digitalocean-refresh-token  DIGITALOCEAN_REFRESH_TOKEN    dor_v1_[a-f0-9]{64}
discord-api-token           DISCORD_API_TOKEN             [a-f0-9]{64}
discord-client-id           DISCORD_CLIENT_ID             [1-9][0-9]{17}
discord-client-secret       DISCORD_CLIENT_SECRET         [a-z0-9=_-]{32}
doppler-api-token           DOPPLER_TOKEN                 dp.pt.[a-z0-9]{43}
droneci-access-token        DRONECI_ACCESS_TOKEN          [a-z0-9]{32}
dropbox-api-token           DROPBOX_API_TOKEN             [a-z0-9]{15}
dropbox-long-lived-token    DROPBOX_LONG_LIVED_TOKEN      [a-z0-9]{11}AAAAAAAAAA[a-z0-9_=-]{43}
dropbox-short-lived-token   DROPBOX_SHORT_LIVED_TOKEN     sl.[a-z0-9=_-]{135}
duffel-api-token            DUFFEL_API_TOKEN              duffel_(test|live)_[a-z0-9_=-]{43}
dynatrace-api-token         DYNATRACE_API_TOKEN           dt0c01.[A-Z0-9]{24}.[A-Z0-9]{64}
easypost-api-token          EASYPOST_API_KEY              EZAK[a-zA-Z0-9]{54}
easypost-test-api-token     EASYPOST_TEST_API_KEY         EZTK[a-zA-Z0-9]{54}
endorlabs-api-key           ENDOR_API_KEY                 endr+[a-zA-Z0-9-]{16}
etsy-access-token           ETSY_ACCESS_TOKEN             [a-z0-9]{24}
facebook-access-token       FACEBOOK_ACCESS_TOKEN         [1-9][0-9]{14}|[0-9a-zA-Z_-]{27}
facebook-page-token         FACEBOOK_PAGE_TOKEN           EAA[MC][a-zA-Z0-9]{110}
facebook-secret             FACEBOOK_APP_SECRET           [a-f0-9]{32}
fastly-api-token            FASTLY_API_TOKEN              [a-z0-9=_-]{32}
finicity-api-token          FINICITY_API_TOKEN            [a-f0-9]{32}
finicity-client-secret      FINICITY_CLIENT_SECRET        [a-z0-9]{20}
finnhub-access-token        FINNHUB_ACCESS_TOKEN          [a-z0-9]{20}
flickr-access-token         FLICKR_ACCESS_TOKEN           [a-z0-9]{32}
flutterwave-encryption-key  FLUTTERWAVE_ENCRYPTION_KEY    FLWSECK_TEST-[a-h0-9]{12}
flutterwave-public-key      FLUTTERWAVE_PUBLIC_KEY        FLWPUBK_TEST-[a-h0-9]{32}-X
flutterwave-secret-key      FLUTTERWAVE_SECRET_KEY        FLWSECK_TEST-[a-h0-9]{32}-X
flyio-access-token          FLY_ACCESS_TOKEN              fo1_[a-zA-Z0-9_-]{43}
flyio-machine-token         FLY_API_TOKEN                 fm2_[a-zA-Z0-9+/]{120}
frameio-api-token           FRAMEIO_API_TOKEN             fio-u-[a-z0-9_=-]{64}
freemius-secret-key         FREEMIUS_SECRET_KEY           sk_[A-Za-z0-9]{29}
freshbooks-access-token     FRESHBOOKS_ACCESS_TOKEN       [a-z0-9]{64}
gcp-api-key                 GOOGLE_API_KEY                AIza[a-zA-Z0-9_-]{35}
generic-api-key             API_KEY                       [a-zA-Z0-9_.=-]{38}
github-app-token            GITHUB_APP_TOKEN              (ghu|ghs)_[0-9a-zA-Z]{36}
github-fine-grained-pat     GITHUB_TOKEN                  github_pat_[a-zA-Z0-9_]{82}
github-oauth                GITHUB_OAUTH_TOKEN            gho_[0-9a-zA-Z]{36}
github-pat                  GH_TOKEN                      ghp_[0-9a-zA-Z]{36}
github-refresh-token        GITHUB_REFRESH_TOKEN          ghr_[0-9a-zA-Z]{36}
gitlab-cicd-job-token       CI_JOB_TOKEN                  glcbt-[0-9a-zA-Z]{5}_[0-9a-zA-Z_-]{20}
gitlab-deploy-token         GITLAB_DEPLOY_TOKEN           gldt-[0-9a-zA-Z_-]{20}
gitlab-feature-flag-token   GITLAB_FEATURE_FLAG_TOKEN     glffct-[0-9a-zA-Z_-]{20}
gitlab-feed-token           GITLAB_FEED_TOKEN             glft-[0-9a-zA-Z_-]{20}
gitlab-incoming-mail-token  GITLAB_INCOMING_MAIL_TOKEN    glimt-[0-9a-zA-Z_-]{25}
gitlab-agent-token          GITLAB_AGENT_TOKEN            glagent-[0-9a-zA-Z_-]{50}
gitlab-oauth-app-secret     GITLAB_OAUTH_SECRET           gloas-[0-9a-zA-Z_-]{64}
gitlab-pat                  GITLAB_TOKEN                  glpat-[0-9a-zA-Z_-]{20}
gitlab-pat-routable         GITLAB_PRIVATE_TOKEN          glpat-[0-9a-zA-Z_-]{27}.[0-9a-z]{9}
gitlab-pipeline-trigger     GITLAB_TRIGGER_TOKEN          glptt-[0-9a-f]{40}
gitlab-runner-registration  RUNNER_REGISTRATION_TOKEN     GR1348941[0-9a-zA-Z_-]{20}
gitlab-runner-token         GITLAB_RUNNER_TOKEN           glrt-[0-9a-zA-Z_-]{20}
gitlab-scim-token           GITLAB_SCIM_TOKEN             glsoat-[0-9a-zA-Z_-]{20}
gitlab-session-cookie       GITLAB_SESSION                _gitlab_session=[0-9a-z]{32}
gitter-access-token         GITTER_ACCESS_TOKEN           [a-z0-9_-]{40}
gocardless-api-token        GOCARDLESS_API_TOKEN          live_[a-z0-9_=-]{40}
grafana-api-key             GRAFANA_API_KEY               eyJrIjoi[A-Za-z0-9]{80}
grafana-cloud-api-token     GRAFANA_CLOUD_TOKEN           glc_[A-Za-z0-9+/]{100}
grafana-service-token       GRAFANA_TOKEN                 glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}
harness-api-key             HARNESS_API_KEY               (pat|sat).[a-zA-Z0-9_-]{22}.[a-zA-Z0-9]{24}.[a-zA-Z0-9]{20}
hashicorp-tf-api-token      TERRAFORM_TOKEN               [a-zA-Z0-9]{14}.atlasv1.[a-zA-Z0-9_=-]{64}
heroku-api-key              HEROKU_API_KEY                @uuid
heroku-api-key-v2           HEROKU_API_TOKEN              HRKU-AA[0-9a-zA-Z_-]{58}
hubspot-api-key             HUBSPOT_API_KEY               @UUID
huggingface-access-token    HF_TOKEN                      hf_[a-zA-Z]{34}
huggingface-org-token       HUGGINGFACE_TOKEN             api_org_[a-zA-Z]{34}
infracost-api-token         INFRACOST_API_KEY             ico-[a-zA-Z0-9]{32}
intercom-api-key            INTERCOM_API_KEY              [a-z0-9=_-]{60}
intra42-client-secret       INTRA42_CLIENT_SECRET         s-s4t2ud-[abcdef0123456789]{64}
jfrog-api-key               JFROG_API_KEY                 [a-zA-Z0-9]{73}
jfrog-identity-token        JFROG_IDENTITY_TOKEN          [a-zA-Z0-9]{64}
jwt                         ACCESS_JWT                    @jwt
jwt-base64                  SERVICE_TOKEN                 @jwt64
kraken-access-token         KRAKEN_ACCESS_TOKEN           [A-Za-z0-9/=_+-]{84}
kucoin-access-token         KUCOIN_ACCESS_TOKEN           [a-f0-9]{24}
kucoin-secret-key           KUCOIN_SECRET_KEY             @uuid
launchdarkly-access-token   LAUNCHDARKLY_ACCESS_TOKEN     [a-z0-9=_-]{40}
linear-api-key              LINEAR_API_KEY                lin_api_[a-zA-Z0-9]{40}
linear-client-secret        LINEAR_CLIENT_SECRET          [a-f0-9]{32}
linkedin-client-id          LINKEDIN_CLIENT_ID            [a-z0-9]{14}
linkedin-client-secret      LINKEDIN_CLIENT_SECRET        [a-z0-9]{16}
lob-api-key                 LOB_API_KEY                   (live|test)_[a-f0-9]{35}
lob-pub-api-key             LOB_PUB_API_KEY               (live|test)_pub_[a-f0-9]{31}
looker-client-id            LOOKER_CLIENT_ID              [a-z0-9]{20}
looker-client-secret        LOOKER_CLIENT_SECRET          [a-z0-9]{24}
mailchimp-api-key           MAILCHIMP_API_KEY             [a-f0-9]{32}-us[0-9]{2}
mailgun-private-token       MAILGUN_API_KEY               key-[a-f0-9]{32}
mailgun-pub-key             MAILGUN_PUB_KEY               pubkey-[a-f0-9]{32}
mailgun-signing-key         MAILGUN_SIGNING_KEY           [a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}
mapbox-api-token            MAPBOX_API_TOKEN              pk.[a-z0-9]{60}.[a-z0-9]{22}
mattermost-access-token     MATTERMOST_ACCESS_TOKEN       [a-z0-9]{26}
maxmind-license-key         MAXMIND_LICENSE_KEY           [A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk
messagebird-api-token       MESSAGEBIRD_API_TOKEN         [a-z0-9]{25}
messagebird-client-id       MESSAGEBIRD_CLIENT_ID         @uuid
microsoft-teams-webhook     TEAMS_WEBHOOK                 https://corp.webhook.office.com/webhookb2/@uuid@at@uuid/IncomingWebhook/[a-z0-9]{32}/@uuid
netlify-access-token        NETLIFY_ACCESS_TOKEN          [a-z0-9=_-]{43}
new-relic-browser-token     NEW_RELIC_BROWSER_TOKEN       NRJS-[a-f0-9]{19}
new-relic-insert-key        NEW_RELIC_INSERT_KEY          NRII-[a-zA-Z0-9-]{32}
new-relic-user-api-id       NEW_RELIC_USER_API_ID         [a-z0-9]{64}
new-relic-user-api-key      NEW_RELIC_API_KEY             NRAK-[A-Z0-9]{27}
notion-api-token            NOTION_TOKEN                  ntn_[0-9]{11}[A-Za-z0-9]{35}
npm-access-token            NPM_TOKEN                     npm_[a-zA-Z0-9]{36}
nytimes-access-token        NYTIMES_ACCESS_TOKEN          [a-z0-9=_-]{32}
octopus-deploy-api-key      OCTOPUS_API_KEY               API-[A-Z0-9]{26}
okta-access-token           OKTA_ACCESS_TOKEN             00[a-zA-Z0-9_=-]{40}
openai-api-key              OPENAI_API_KEY                sk-[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20}
openai-project-key          OPENAI_PROJECT_KEY            sk-proj-[A-Za-z0-9_-]{74}T3BlbkFJ[A-Za-z0-9_-]{74}
openshift-user-token        OPENSHIFT_TOKEN               sha256~[a-zA-Z0-9_-]{43}
perplexity-api-key          PERPLEXITY_API_KEY            pplx-[a-zA-Z0-9]{48}
plaid-api-token             PLAID_API_TOKEN               access-(sandbox|production)-@uuid
plaid-client-id             PLAID_CLIENT_ID               [a-z0-9]{24}
plaid-secret-key            PLAID_SECRET_KEY              [a-z0-9]{30}
planetscale-api-token       PLANETSCALE_API_TOKEN         pscale_tkn_[a-zA-Z0-9=.-]{43}
planetscale-oauth-token     PLANETSCALE_OAUTH_TOKEN       pscale_oauth_[a-zA-Z0-9=.-]{43}
planetscale-password        PLANETSCALE_PASSWORD          pscale_pw_[a-zA-Z0-9=.-]{43}
postman-api-token           POSTMAN_API_KEY               PMAK-[a-f0-9]{24}-[a-f0-9]{34}
prefect-api-token           PREFECT_API_KEY               pnu_[a-zA-Z0-9]{36}
privateai-api-token         PRIVATEAI_API_TOKEN           [a-z0-9]{32}
pulumi-api-token            PULUMI_ACCESS_TOKEN           pul-[a-f0-9]{40}
pypi-upload-token           PYPI_TOKEN                    pypi-AgEIcHlwaS5vcmc[a-zA-Z0-9_-]{100}
rapidapi-access-token       RAPIDAPI_ACCESS_TOKEN         [a-z0-9_-]{50}
readme-api-token            README_API_KEY                rdme_[a-z0-9]{70}
rubygems-api-token          RUBYGEMS_API_KEY              rubygems_[a-f0-9]{48}
scalingo-api-token          SCALINGO_API_TOKEN            tk-us-[a-zA-Z0-9_-]{48}
sendbird-access-id          SENDBIRD_ACCESS_ID            @uuid
sendbird-access-token       SENDBIRD_ACCESS_TOKEN         [a-f0-9]{40}
sendgrid-api-token          SENDGRID_API_KEY              SG.[a-zA-Z0-9_-]{22}.[a-zA-Z0-9_-]{43}
sendinblue-api-token        SENDINBLUE_API_KEY            xkeysib-[a-f0-9]{64}-[a-zA-Z0-9]{16}
sentry-access-token         SENTRY_ACCESS_TOKEN           [a-f0-9]{64}
sentry-org-token            SENTRY_ORG_TOKEN              sntrys_eyJpYXQiO[a-zA-Z0-9+/]{60}LCJyZWdpb25fdXJs[a-zA-Z0-9+/]{40}_[a-zA-Z0-9+/]{43}
sentry-user-token           SENTRY_AUTH_TOKEN             sntryu_[a-f0-9]{64}
settlemint-application      SETTLEMINT_APP_TOKEN          sm_aat_[a-zA-Z0-9]{16}
settlemint-personal         SETTLEMINT_TOKEN              sm_pat_[a-zA-Z0-9]{16}
settlemint-service          SETTLEMINT_SERVICE_TOKEN      sm_sat_[a-zA-Z0-9]{16}
shippo-api-token            SHIPPO_API_TOKEN              shippo_(live|test)_[a-fA-F0-9]{40}
shopify-access-token        SHOPIFY_ACCESS_TOKEN          shpat_[a-fA-F0-9]{32}
shopify-custom-token        SHOPIFY_CUSTOM_TOKEN          shpca_[a-fA-F0-9]{32}
shopify-private-app-token   SHOPIFY_PRIVATE_TOKEN         shppa_[a-fA-F0-9]{32}
shopify-shared-secret       SHOPIFY_SHARED_SECRET         shpss_[a-fA-F0-9]{32}
sidekiq-secret              BUNDLE_GEMS__CONTRIBSYS__COM  [a-f0-9]{8}:[a-f0-9]{8}
slack-app-token             SLACK_APP_TOKEN               xapp-1-[A-Z0-9]{11}-[0-9]{13}-[a-z0-9]{64}
slack-bot-token             SLACK_BOT_TOKEN               xoxb-[0-9]{12}-[0-9]{12}-[a-zA-Z0-9]{24}
slack-config-access-token   SLACK_CONFIG_TOKEN            xoxe.xoxb-1-[A-Z0-9]{163}
slack-config-refresh-token  SLACK_REFRESH_TOKEN           xoxe-1-[A-Z0-9]{146}
slack-legacy-bot-token      SLACK_LEGACY_BOT_TOKEN        xoxb-[0-9]{12}-[a-zA-Z0-9]{24}
slack-legacy-token          SLACK_LEGACY_TOKEN            xoxs-[0-9]{10}-[0-9]{10}-[0-9]{10}-[a-f0-9]{10}
slack-legacy-workspace      SLACK_WORKSPACE_TOKEN         xoxa-2-[0-9a-zA-Z]{32}
slack-user-token            SLACK_USER_TOKEN              xoxp-[0-9]{12}-[0-9]{12}-[0-9]{12}-[a-zA-Z0-9]{32}
slack-webhook-url           SLACK_WEBHOOK_URL             https://hooks.slack.com/services/T[A-Z0-9]{10}/B[A-Z0-9]{10}/[A-Za-z0-9]{24}
snyk-api-token              SNYK_TOKEN                    @uuid
sonar-api-token             SONAR_TOKEN                   (squ|sqp|sqa)_[a-z0-9]{40}
sourcegraph-access-token    SOURCEGRAPH_ACCESS_TOKEN      sgp_[a-f0-9]{16}_[a-f0-9]{40}
square-access-token         SQUARE_ACCESS_TOKEN           EAAA[a-zA-Z0-9_-]{60}
squarespace-access-token    SQUARESPACE_ACCESS_TOKEN      @uuid
stripe-access-token         STRIPE_SECRET_KEY             (sk|rk)_(live|test|prod)_[a-zA-Z0-9]{24}
sumologic-access-id         SUMOLOGIC_ACCESS_ID           su[a-zA-Z0-9]{12}
sumologic-access-token      SUMOLOGIC_ACCESS_TOKEN        [a-z0-9]{64}
telegram-bot-api-token      TELEGRAM_BOT_TOKEN            [1-9][0-9]{8}:A[a-zA-Z0-9_-]{34}
travisci-access-token       TRAVIS_ACCESS_TOKEN           [a-z0-9]{22}
twilio-api-key              TWILIO_API_KEY                SK[0-9a-f]{32}
twitch-api-token            TWITCH_API_TOKEN              [a-z0-9]{30}
twitter-access-secret       TWITTER_ACCESS_SECRET         [a-zA-Z0-9]{45}
twitter-access-token        TWITTER_ACCESS_TOKEN          [1-9][0-9]{18}-[a-zA-Z0-9]{30}
twitter-api-key             TWITTER_API_KEY               [a-zA-Z0-9]{25}
twitter-api-secret          TWITTER_API_SECRET            [a-zA-Z0-9]{50}
twitter-bearer-token        TWITTER_BEARER_TOKEN          AAAAAAAAAAAAAAAAAAAAAA[a-zA-Z0-9%]{90}
typeform-api-token          TYPEFORM_API_TOKEN            tfp_[a-zA-Z0-9_.=-]{59}
vault-batch-token           VAULT_BATCH_TOKEN             hvb.[a-zA-Z0-9_-]{150}
vault-service-token         VAULT_TOKEN                   hvs.[a-zA-Z0-9_-]{95}
vault-service-token-old     VAULT_DEV_TOKEN               s.[a-zA-Z0-9]{24}
yandex-access-token         YANDEX_ACCESS_TOKEN           t1.[A-Z0-9a-z_-]{60}.[A-Z0-9a-z_-]{86}
yandex-api-key              YANDEX_API_KEY                AQVN[A-Za-z0-9_-]{36}
yandex-aws-access-token     YANDEX_AWS_ACCESS_TOKEN       YC[a-zA-Z0-9_-]{38}
zendesk-secret-key          ZENDESK_SECRET_KEY            [a-z0-9]{40}
"""

_TRUFFLEHOG = r"""
abstract-api-key            ABSTRACT_API_KEY              [0-9a-z]{32}
airbrake-project-key        AIRBRAKE_PROJECT_KEY          [a-f0-9]{32}
aiven-token                 AIVEN_TOKEN                   [a-zA-Z0-9/+=]{372}
alchemy-api-key             ALCHEMY_API_KEY               [a-zA-Z0-9_-]{32}
apify-token                 APIFY_TOKEN                   apify_api_[a-zA-Z0-9]{36}
asana-oauth                 ASANA_OAUTH_TOKEN             1/[0-9]{16}:[a-z0-9]{32}
asana-personal-token        ASANA_TOKEN                   2/[0-9]{16}/[0-9]{16}:[0-9a-f]{32}
avaza-token                 AVAZA_TOKEN                   [1-9][0-9]{5}-[0-9a-f]{40}
azure-devops-token          AZURE_DEVOPS_TOKEN            [a-z2-7]{52}
azure-function-key          AZURE_FUNCTION_KEY            [a-zA-Z0-9_-]{44}AzFu[a-zA-Z0-9_-]{6}==
azure-search-admin-key      AZURE_SEARCH_KEY              [a-zA-Z0-9]{42}AzSe[a-zA-Z0-9]{6}
azure-storage-key           AZURE_STORAGE_KEY             [a-zA-Z0-9+/]{86}==
bannerbear-key              BANNERBEAR_API_KEY            [0-9a-zA-Z]{22}tt
bitbucket-app-password      BITBUCKET_APP_PASSWORD        ATBB[A-Za-z0-9]{24}[A-F0-9]{8}
box-access-token            BOX_ACCESS_TOKEN              [0-9a-zA-Z]{32}
browserstack-key            BROWSERSTACK_ACCESS_KEY       [0-9a-zA-Z]{20}
buildkite-token             BUILDKITE_TOKEN               bkua_[a-z0-9]{40}
caflou-token                CAFLOU_TOKEN                  ey[a-zA-Z0-9_.-]{153}
circleci-token              CIRCLECI_TOKEN                CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}
clearbit-key                CLEARBIT_API_KEY              sk_[a-f0-9]{32}
clickup-token               CLICKUP_TOKEN                 pk_[0-9]{8}_[0-9A-Z]{32}
clockify-key                CLOCKIFY_API_KEY              [a-zA-Z0-9]{48}
close-crm-key               CLOSE_API_KEY                 api_[a-z0-9A-Z.]{45}
coda-token                  CODA_API_TOKEN                @uuid
codemagic-token             CODEMAGIC_TOKEN               [a-zA-Z0-9_-]{43}
column-key                  COLUMN_API_KEY                (test|live)_[a-zA-Z0-9]{27}
contentful-personal-token   CONTENTFUL_TOKEN              CFPAT-[a-zA-Z0-9_-]{43}
crowdin-token               CROWDIN_TOKEN                 [0-9A-Za-z]{80}
customerio-key              CUSTOMERIO_API_KEY            [a-z0-9]{20}
deepgram-key                DEEPGRAM_API_KEY              [0-9a-f]{40}
deepseek-key                DEEPSEEK_API_KEY              sk-[a-z0-9]{32}
discord-bot-token           DISCORD_BOT_TOKEN             [MNO][a-zA-Z0-9_-]{23}.[a-zA-Z0-9_-]{6}.[a-zA-Z0-9_-]{27}
discord-webhook             DISCORD_WEBHOOK               https://discord.com/api/webhooks/[1-9][0-9]{17}/[0-9a-zA-Z-]{68}
ditto-key                   DITTO_API_KEY                 @uuid.[a-z0-9]{40}
docker-hub-token            DOCKER_HUB_TOKEN              dckr_pat_[a-zA-Z0-9_-]{27}
elastic-email-key           ELASTICEMAIL_API_KEY          [A-F0-9]{96}
elevenlabs-key              ELEVENLABS_API_KEY            sk_[a-f0-9]{48}
everhour-key                EVERHOUR_API_KEY              [0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{6}-[0-9a-f]{6}-[0-9a-f]{8}
figma-token                 FIGMA_TOKEN                   figd_[0-9A-Za-z_-]{40}
finage-key                  FINAGE_API_KEY                API_KEY[0-9A-Z]{32}
flatio-key                  FLATIO_API_KEY                [0-9a-z]{128}
fleetbase-key               FLEETBASE_API_KEY             flb_live_[0-9a-zA-Z]{20}
flutterwave-live-key        FLUTTERWAVE_KEY               FLWSECK-[0-9a-z]{32}-X
foursquare-key              FOURSQUARE_API_KEY            fsq3[0-9A-Za-z+/=]{44}
freshdesk-key               FRESHDESK_API_KEY             [0-9A-Za-z]{20}
frontapp-token              FRONT_API_TOKEN               [0-9a-zA-Z]{36}.[0-9a-zA-Z._-]{190}
gcp-oauth-secret            GOOGLE_CLIENT_SECRET          GOCSPX-[a-zA-Z0-9_-]{28}
geckoboard-key              GECKOBOARD_API_KEY            [a-zA-Z0-9]{44}
groq-key                    GROQ_API_KEY                  gsk_[a-zA-Z0-9]{52}
gumroad-token               GUMROAD_TOKEN                 [a-zA-Z0-9_-]{43}
helpscout-key               HELPSCOUT_API_KEY             [A-Za-z0-9]{56}
hubspot-private-app         HUBSPOT_TOKEN                 pat-na1-@uuid
intercom-token              INTERCOM_TOKEN                dG9r[a-zA-Z0-9+/]{55}=
ipinfo-token                IPINFO_TOKEN                  [a-f0-9]{14}
jotform-key                 JOTFORM_API_KEY               [0-9a-z]{32}
jumpcloud-key               JUMPCLOUD_API_KEY             [a-zA-Z0-9]{40}
keenio-key                  KEENIO_WRITE_KEY              [0-9A-F]{64}
klaviyo-key                 KLAVIYO_API_KEY               pk_[a-zA-Z0-9]{34}
langsmith-key               LANGSMITH_API_KEY             lsv2_pt_[0-9a-f]{32}_[0-9a-f]{10}
launchdarkly-api-key        LAUNCHDARKLY_API_KEY          api-@uuid
launchdarkly-sdk-key        LAUNCHDARKLY_SDK_KEY          sdk-@uuid
loggly-key                  LOGGLY_TOKEN                  @uuid
logzio-token                LOGZIO_TOKEN                  [a-zA-Z]{32}
mailjet-key                 MAILJET_API_KEY               [A-Za-z0-9]{32}
mailmodo-key                MAILMODO_API_KEY              [A-Z0-9]{7}-[A-Z0-9]{7}-[A-Z0-9]{7}-[A-Z0-9]{7}
mandrill-key                MANDRILL_API_KEY              md-[A-Za-z0-9_-]{22}
miro-token                  MIRO_TOKEN                    [0-9a-zA-Z]{27}
mux-secret                  MUX_TOKEN_SECRET              [a-zA-Z0-9/+]{75}
nightfall-key               NIGHTFALL_API_KEY             NF-[a-zA-Z0-9]{32}
notion-secret               NOTION_SECRET                 secret_[A-Za-z0-9]{43}
nvidia-key                  NVIDIA_API_KEY                nvapi-[a-zA-Z0-9_-]{64}
omnisend-key                OMNISEND_API_KEY              [a-z0-9]{24}-[a-zA-Z0-9]{50}
opsgenie-key                OPSGENIE_API_KEY              @uuid
pagerduty-key               PAGERDUTY_API_KEY             u+[a-zA-Z0-9_-]{18}
paypal-secret               PAYPAL_SECRET                 [a-zA-Z0-9_-]{80}
paystack-key                PAYSTACK_SECRET_KEY           sk_live_[a-z0-9]{40}
pinecone-key                PINECONE_API_KEY              pcsk_[a-zA-Z0-9]{6}_[a-zA-Z0-9]{63}
planview-key                PLANVIEW_API_KEY              [0-9a-f]{128}
plivo-key                   PLIVO_AUTH_TOKEN              [A-Za-z0-9_-]{40}
posthog-key                 POSTHOG_API_KEY               phx_[a-zA-Z0-9_]{43}
pusher-secret               PUSHER_APP_SECRET             [a-z0-9]{20}
ramp-secret                 RAMP_CLIENT_SECRET            ramp_sec_[a-zA-Z0-9]{48}
razorpay-key                RAZORPAY_KEY_ID               rzp_live_[A-Za-z0-9]{14}
rechargepayments-key        RECHARGE_TOKEN                sk_1x1_[a-fA-F0-9]{64}
replicate-token             REPLICATE_API_TOKEN           r8_[0-9A-Za-z_-]{37}
rootly-key                  ROOTLY_API_KEY                rootly_[a-f0-9]{64}
saucelabs-oauth             SAUCELABS_OAUTH               oauth-[a-z0-9]{12}-[a-z0-9]{5}
scaleway-access-key         SCW_ACCESS_KEY                SCW[A-Z0-9]{17}
scrapingbee-key             SCRAPINGBEE_API_KEY           [A-Z0-9]{80}
segment-token               SEGMENT_TOKEN                 sgp_[a-zA-Z0-9]{64}
sendinblue-smtp             SENDINBLUE_SMTP_KEY           xsmtpsib-[a-f0-9]{64}-[a-zA-Z0-9]{16}
shodan-key                  SHODAN_API_KEY                [a-zA-Z0-9]{32}
sigopt-token                SIGOPT_API_TOKEN              [A-Z0-9]{48}
smooch-key                  SMOOCH_KEY_ID                 act_[0-9a-z]{24}
snipcart-key                SNIPCART_API_KEY              [0-9A-Za-z_]{75}
sourcegraph-cody            CODY_GATEWAY_KEY              slk_[a-f0-9]{64}
square-app-secret           SQUARE_APP_SECRET             sq0csp-[0-9A-Za-z_-]{43}
storyblok-token             STORYBLOK_TOKEN               [0-9A-Za-z]{22}tt
stripe-webhook              STRIPE_WEBHOOK_SECRET         whsec_[a-zA-Z0-9]{32}
stripe-payment-intent       STRIPE_CLIENT_SECRET          pi_[a-zA-Z0-9]{24}_secret_[a-zA-Z0-9]{25}
supabase-token              SUPABASE_ACCESS_TOKEN         sbp_[a-z0-9]{40}
surge-token                 SURGE_TOKEN                   [a-f0-9]{32}
swiftype-key                SWIFTYPE_API_KEY              [a-zA-Z0-9]{6}_[a-zA-Z0-9]{6}-[a-zA-Z0-9]{6}
tailscale-key               TAILSCALE_AUTH_KEY            tskey-auth-[a-zA-Z0-9]{12}-[a-zA-Z0-9]{32}
tavily-key                  TAVILY_API_KEY                tvly-[a-zA-Z0-9]{32}
teamwork-token              TEAMWORK_TOKEN                tkn.v1_[0-9A-Za-z]{71}=
telnyx-key                  TELNYX_API_KEY                KEY[0-9A-Za-z_-]{55}
thingsboard-token           THINGSBOARD_TOKEN             [0-9a-z]{20}
todoist-token               TODOIST_TOKEN                 [0-9a-f]{40}
trello-token                TRELLO_TOKEN                  ATTA[0-9a-f]{64}[0-9A-F]{8}
twilio-auth-token           TWILIO_AUTH_TOKEN             [0-9a-f]{32}
typesense-key               TYPESENSE_API_KEY             [a-zA-Z0-9]{32}
unsplash-key                UNSPLASH_ACCESS_KEY           [0-9A-Za-z_]{43}
vercel-token                VERCEL_TOKEN                  [a-zA-Z0-9]{24}
voiceflow-key               VOICEFLOW_API_KEY             VF.DM.[a-f0-9]{24}.[a-zA-Z0-9]{16}
vultr-key                   VULTR_API_KEY                 [A-Z0-9]{36}
webflow-token               WEBFLOW_TOKEN                 [a-f0-9]{64}
wiz-secret                  WIZ_CLIENT_SECRET             [a-zA-Z0-9]{64}
workstack-key               WORKSTACK_API_KEY             [0-9a-zA-Z]{60}
zapier-webhook              ZAPIER_WEBHOOK                https://hooks.zapier.com/hooks/catch/[0-9]{8}/[a-z0-9]{7}/
zenkit-key                  ZENKIT_API_KEY                [0-9a-z]{8}-[0-9A-Za-z]{32}
zeplin-token                ZEPLIN_TOKEN                  ey[a-zA-Z0-9_.-]{360}
"""

_ISSUERS = r"""
amazon-mws-token            MWS_AUTH_TOKEN                amzn.mws.@uuid
artifactory-password        ARTIFACTORY_PASSWORD          AP5[A-Za-z0-9]{30}
aws-appsync-key             APPSYNC_API_KEY               da2-[a-z0-9]{26}
aws-secret-access-key       AWS_SECRET_ACCESS_KEY         [A-Za-z0-9/+]{40}
azure-acr-password          ACR_PASSWORD                  [a-zA-Z0-9+/]{42}+ACR[A-Z][a-zA-Z0-9]{5}
azure-cosmos-key            COSMOS_KEY                    [a-zA-Z0-9+/]{76}ACDb[a-zA-Z0-9+/]{6}==
azure-service-bus-key       SERVICE_BUS_KEY               [a-zA-Z0-9+/]{33}+ASb[a-zA-Z0-9+/]{6}=
brave-search-key            BRAVE_API_KEY                 BSA[a-zA-Z0-9_-]{28}
cargo-token                 CARGO_REGISTRY_TOKEN          cio[a-zA-Z0-9]{32}
cerebras-key                CEREBRAS_API_KEY              csk-[a-z0-9]{48}
cloudant-password           CLOUDANT_PASSWORD             [0-9a-f]{64}
composio-key                COMPOSIO_API_KEY              ak_[a-zA-Z0-9_-]{20}
databento-key               DATABENTO_API_KEY             db-[A-Za-z0-9]{29}
docker-swarm-token          SWARM_TOKEN                   SWMTKN-1-[a-z0-9]{50}-[a-z0-9]{25}
docusign-key                DOCUSIGN_SECRET               @uuid
e2b-key                     E2B_API_KEY                   e2b_[a-f0-9]{40}
exa-key                     EXA_API_KEY                   @uuid
firebase-messaging-key      FCM_SERVER_KEY                AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{134}
firecrawl-key               FIRECRAWL_API_KEY             fc-[a-f0-9]{32}
fireworks-key               FIREWORKS_API_KEY             fw_[a-zA-Z0-9]{24}
google-oauth-token          GOOGLE_ACCESS_TOKEN           ya29.[a-zA-Z0-9_-]{120}
google-refresh-token        GOOGLE_REFRESH_TOKEN          1//0[a-zA-Z0-9_-]{50}
helicone-key                HELICONE_API_KEY              sk-helicone-[a-z0-9]{7}-[a-z0-9]{7}-[a-z0-9]{7}-[a-z0-9]{7}
hetzner-token               HCLOUD_TOKEN                  [a-zA-Z0-9]{64}
honeycomb-key               HONEYCOMB_API_KEY             hcaik_[a-z0-9]{58}
ibm-cloud-iam-key           IBM_CLOUD_API_KEY             [a-zA-Z0-9_-]{44}
infisical-token             INFISICAL_TOKEN               st.[a-f0-9]{24}.[a-f0-9]{32}.[a-f0-9]{32}
instagram-token             INSTAGRAM_TOKEN               IGQV[a-zA-Z0-9_-]{140}
jenkins-token               JENKINS_API_TOKEN             11[0-9a-f]{32}
jina-key                    JINA_API_KEY                  jina_[a-zA-Z0-9]{32}[a-zA-Z0-9_-]{28}
langfuse-secret             LANGFUSE_SECRET_KEY           sk-lf-@uuid
linode-token                LINODE_TOKEN                  [0-9a-f]{64}
mistral-key                 MISTRAL_API_KEY               [a-zA-Z0-9]{32}
modal-token                 MODAL_TOKEN_SECRET            as-[a-zA-Z0-9]{22}
neon-key                    NEON_API_KEY                  napi_[a-z0-9]{64}
netlify-personal-token      NETLIFY_AUTH_TOKEN            nfp_[a-zA-Z0-9]{36}
ngrok-token                 NGROK_AUTHTOKEN               2[a-zA-Z0-9]{26}_[a-zA-Z0-9]{21}
nuget-key                   NUGET_API_KEY                 oy2[a-z0-9]{43}
openrouter-key              OPENROUTER_API_KEY            sk-or-v1-[a-f0-9]{64}
packagist-token             PACKAGIST_TOKEN               packagist_out_[a-f0-9]{68}
paypal-braintree-token      BRAINTREE_ACCESS_TOKEN        access_token$production$[0-9a-z]{16}$[0-9a-f]{32}
pinterest-token             PINTEREST_TOKEN               pina_[A-Z0-9]{68}
polar-token                 POLAR_ACCESS_TOKEN            polar_oat_[a-zA-Z0-9]{43}
prisma-key                  PRISMA_API_KEY                @jwt
raycast-token               RAYCAST_TOKEN                 rca_[0-9a-f]{64}
redis-cloud-key             REDIS_CLOUD_SECRET            S[a-z0-9]{47}
render-key                  RENDER_API_KEY                rnd_[a-zA-Z0-9]{28}
resend-key                  RESEND_API_KEY                re_[a-zA-Z0-9]{8}_[a-zA-Z0-9]{24}
rollbar-token               ROLLBAR_ACCESS_TOKEN          [a-f0-9]{32}
salesforce-session          SALESFORCE_ACCESS_TOKEN       00D[a-zA-Z0-9]{12}![a-zA-Z0-9_.]{96}
salesforce-refresh          SALESFORCE_REFRESH_TOKEN      5Aep861[a-zA-Z0-9_.]{80}
sanity-token                SANITY_TOKEN                  sk[a-zA-Z0-9]{80}
serpapi-key                 SERPAPI_KEY                   [a-f0-9]{64}
softlayer-key               SOFTLAYER_API_KEY             [a-z0-9]{64}
supabase-secret             SUPABASE_SECRET_KEY           sb_secret_[a-zA-Z0-9_-]{31}
telegram-api-hash           TELEGRAM_API_HASH             [0-9a-f]{32}
tencent-secret-id           TENCENT_SECRET_ID             AKID[a-zA-Z0-9]{32}
together-key                TOGETHER_API_KEY              tgp_v1_[a-zA-Z0-9_-]{43}
turso-token                 TURSO_AUTH_TOKEN              @jwt
unkey-root-key              UNKEY_ROOT_KEY                unkey_[a-zA-Z0-9]{22}
upstash-token               UPSTASH_REDIS_REST_TOKEN      AX[a-zA-Z0-9]{54}
vercel-blob-token           BLOB_READ_WRITE_TOKEN         vercel_blob_rw_[a-zA-Z0-9]{16}_[a-zA-Z0-9]{30}
voyage-key                  VOYAGE_API_KEY                pa-[a-zA-Z0-9_-]{43}
wandb-key                   WANDB_API_KEY                 [0-9a-f]{40}
weights-key-new             WANDB_TOKEN                   wandb_v1_[a-zA-Z0-9_]{77}
workos-key                  WORKOS_API_KEY                sk_test_[a-zA-Z0-9]{48}
xai-key                     XAI_API_KEY                   xai-[a-zA-Z0-9]{80}
zhipu-key                   ZHIPU_API_KEY                 [a-f0-9]{32}.[a-zA-Z0-9]{16}
"""

_TABLES = {"gitleaks": _GITLEAKS, "trufflehog": _TRUFFLEHOG, "other issuers": _ISSUERS}


def key_forms() -> list[KeyForm]:
    """Every published format, in the order of the tables."""
    return [
        KeyForm(group, *line.split())
        for group, table in _TABLES.items()
        for line in table.strip().splitlines()
    ]


def bare_shape(shape: str) -> str:
    """`shape` in one spelling: two formats with the same one are equal where nothing names them."""
    return _PART.sub(
        lambda m: f"[{sorted(_alphabet(m['chars']))}]{m['count']}" if m["chars"] else m[0], shape
    ).lower()


def drawn(shape: str, r: random.Random) -> str:
    """A random string of `shape`."""
    return "".join(_parts(shape, r))


_PART = re.compile(
    r"@(?P<made>uuid|UUID|jwt64|jwt)|\[(?P<chars>[^\]]+)\](?:\{(?P<count>\d+)\})?"
    r"|\((?P<words>[^)]+)\)|(?P<text>.)"
)


def _parts(shape: str, r: random.Random) -> Iterator[str]:
    for part in _PART.finditer(shape.replace("@at", "\0")):
        if part["made"]:
            yield _MADE[part["made"]](r)
        elif part["chars"]:
            yield "".join(r.choices(_alphabet(part["chars"]), k=int(part["count"] or 1)))
        elif part["words"]:
            yield r.choice(part["words"].split("|"))
        else:
            yield part["text"].replace("\0", "@")


def _alphabet(chars: str) -> str:
    """The characters of a class: `a-f0-9_-` has a to f, the digits, `_` and `-`."""
    expanded = re.sub(
        r"(\w)-(\w)",
        lambda m: "".join(chr(code) for code in range(ord(m[1]), ord(m[2]) + 1)),
        chars,
    )
    return "".join(dict.fromkeys(expanded))


def uuid(r: random.Random) -> str:
    """A random UUID in lower case."""
    return drawn("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", r)


def jwt(r: random.Random) -> str:
    """A signed token: two JSON objects and a signature."""
    halves = ({"alg": "HS256", "typ": "JWT"}, {"sub": str(r.random()), "iat": r.randrange(10**9)})
    encoded = (base64.urlsafe_b64encode(json.dumps(half).encode()) for half in halves)
    signature = "".join(r.choices(string.ascii_letters + string.digits + "-_", k=43))
    return ".".join([*(half.decode().rstrip("=") for half in encoded), signature])


_MADE: dict[str, Make] = {
    "uuid": uuid,
    "UUID": lambda r: uuid(r).upper(),
    "jwt": jwt,
    "jwt64": lambda r: base64.b64encode(jwt(r).encode()).decode(),
}
