"""A second opinion on a single token: the maintained detector's own rules.

Its scanner is never used (it takes ordinary sentences for secrets): only the rules of single
issuers, each asked about one candidate and the few words around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Protocol

_RULES = (
    ("artifactory", "ArtifactoryDetector"), ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"), ("cloudant", "CloudantDetector"),
    ("ibm_cloud_iam", "IbmCloudIamDetector"), ("ibm_cos_hmac", "IbmCosHmacDetector"),
    ("mailchimp", "MailchimpDetector"), ("npm", "NpmDetector"),
    ("softlayer", "SoftlayerDetector"), ("square_oauth", "SquareOAuthDetector"),
    ("sendgrid", "SendGridDetector"), ("slack", "SlackDetector"), ("stripe", "StripeDetector"),
)  # fmt: skip


class _Rule(Protocol):
    secret_type: str

    def analyze_string(self, string: str) -> Iterable[str]: ...


def name_of(token: str, around: str) -> str:
    """Which secret `token` is, as a mark names it, or nothing; `around` is its surroundings."""
    for rule in _rules():
        for found in rule.analyze_string(around):
            if found and (found in token or token in found):
                return rule.secret_type.lower().replace(" ", "-")
    return ""


@cache
def _rules() -> tuple[_Rule, ...]:
    """The detector's rules; loading them costs 0.3 s, so only a candidate brings them in."""
    return tuple(
        getattr(import_module(f"detect_secrets.plugins.{module}"), rule)()
        for module, rule in _RULES
    )
