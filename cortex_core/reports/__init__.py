"""What the larger verbs answer with: states, details and counts, for every interface to format."""

from __future__ import annotations

from cortex_core.reports.care import (
    CheckResult,
    CheckState,
    CodeReport,
    ModelRecord,
    SecretFind,
    SecretsReport,
    SettingRecord,
)
from cortex_core.reports.curation import (
    ConsolidationReport,
    Fading,
    LifecycleReport,
    Review,
    RuleRecord,
)
from cortex_core.reports.detail import Detail, FieldChange, LinkedCode, Revision, Said, Turn
from cortex_core.reports.exchange import COUNTED, Arrival, ExportReport, ImportReport, report
from cortex_core.reports.lists import Facets, Sort, Where, WordHits
from cortex_core.reports.practice import Core, ProcedureMatch, Recurrence, Reflection, Theme
from cortex_core.reports.state import Status

__all__ = [
    "COUNTED",
    "Arrival",
    "CheckResult",
    "CheckState",
    "CodeReport",
    "ConsolidationReport",
    "Core",
    "Detail",
    "ExportReport",
    "Facets",
    "Fading",
    "FieldChange",
    "ImportReport",
    "LifecycleReport",
    "LinkedCode",
    "ModelRecord",
    "ProcedureMatch",
    "Recurrence",
    "Reflection",
    "Review",
    "Revision",
    "RuleRecord",
    "Said",
    "SecretFind",
    "SecretsReport",
    "SettingRecord",
    "Sort",
    "Status",
    "Theme",
    "Turn",
    "Where",
    "WordHits",
    "report",
]
