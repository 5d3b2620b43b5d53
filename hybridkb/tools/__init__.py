"""What an agent is handed: search, passages, sources and status as plain functions, OpenAI tools and an MCP server."""

from hybridkb.tools.listing import list_sources
from hybridkb.tools.openai_function import openai_tool, openai_tools
from hybridkb.tools.reading import get_knowledge
from hybridkb.tools.searching import search_knowledge
from hybridkb.tools.status import knowledge_status

__all__ = ["get_knowledge", "knowledge_status", "list_sources", "openai_tool", "openai_tools", "search_knowledge"]
