from cortex_core.api import Cortex as Cortex

__all__ = ["Cortex", "__version__"]

__version__: str
CHILD: str
