"""Write conversations of agents with the frameworks' own code and mock models.

pip install langgraph openai-agents haystack-ai
python gen.py
"""

import asyncio
import importlib.metadata
import json
from pathlib import Path

OUT = Path(__file__).parent
DOCS = {
    "opening": "The Marlow footbridge opened to the public on 14 May 2003. It replaced a ferry.",
    "length": "The Marlow footbridge is 212 metres long and 3 metres wide.",
}
Q = ["When did the Marlow footbridge open?", "And how long is it?"]
A = ["It opened on 14 May 2003.", "It is 212 metres long."]
K = ["opening", "length"]


def search(topic: str) -> str:
    """Look up a passage about the bridge."""
    return DOCS[topic]


def write(name, package, data):
    title, _, form = name.partition(" ")
    file = "-".join(filter(None, [title, importlib.metadata.version(package), form])) + ".json"
    (OUT / file).write_text(json.dumps(data, default=str) + "\n")


def langgraph():
    from langgraph.graph import StateGraph, MessagesState, START, END
    from langgraph.prebuilt import ToolNode
    from langgraph.checkpoint.memory import MemorySaver
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_to_dict
    from langchain_core.tools import tool

    t = tool(search)

    def model(state):
        n = sum(isinstance(m, HumanMessage) for m in state["messages"]) - 1
        if isinstance(state["messages"][-1], ToolMessage):
            return {"messages": [AIMessage(A[n])]}
        return {"messages": [AIMessage("", tool_calls=[{"name": "search", "args": {"topic": K[n]}, "id": f"call_{n}"}])]}

    g = StateGraph(MessagesState)
    g.add_node("model", model)
    g.add_node("tools", ToolNode([t]))
    g.add_edge(START, "model")
    g.add_conditional_edges("model", lambda s: "tools" if s["messages"][-1].tool_calls else END)
    g.add_edge("tools", "model")
    app = g.compile(checkpointer=MemorySaver())
    for q in Q:
        state = app.invoke({"messages": [HumanMessage(q)]}, {"configurable": {"thread_id": "1"}})
    write("langgraph", "langgraph", {"thread_id": "1", "messages": [m.model_dump() for m in state["messages"]]})
    write("langgraph dict", "langgraph", {"messages": messages_to_dict(state["messages"])})


def openai_agents():
    from agents import Agent, Runner, function_tool, set_tracing_disabled
    from agents.models.interface import Model
    from agents.items import ModelResponse
    from agents.usage import Usage
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText, ResponseFunctionToolCall

    set_tracing_disabled(True)

    class Mock(Model):
        n = 0

        async def get_response(self, *a, **k):
            i, step = divmod(self.n, 2)
            self.n += 1
            item = (
                ResponseFunctionToolCall(
                    arguments=json.dumps({"topic": K[i]}), call_id=f"call_{i}", name="search", type="function_call", id=f"fc_{i}", status="completed"
                )
                if step == 0
                else ResponseOutputMessage(
                    id=f"msg_{i}",
                    role="assistant",
                    status="completed",
                    type="message",
                    content=[ResponseOutputText(annotations=[], text=A[i], type="output_text")],
                )
            )
            return ModelResponse(output=[item], usage=Usage(), response_id=None)

        def stream_response(self, *a, **k):
            raise NotImplementedError

    agent = Agent(name="assistant", model=Mock(), tools=[function_tool(search)])
    items = []
    for q in Q:
        r = Runner.run_sync(agent, items + [{"role": "user", "content": q}])
        items = r.to_input_list()
    write("openai-agents", "openai-agents", {"input": items})


def haystack():
    from haystack import component
    from haystack.components.agents import Agent
    from haystack.dataclasses import ChatMessage, ToolCall
    from haystack.tools import create_tool_from_function
    from typing import Any

    @component
    class Mock:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage], tools: Any = None, **kwargs):
            n = sum(m.is_from("user") for m in messages) - 1
            if messages[-1].tool_call_results:
                return {"replies": [ChatMessage.from_assistant(A[n])]}
            return {"replies": [ChatMessage.from_assistant(tool_calls=[ToolCall("search", {"topic": K[n]}, id=str(n))])]}

    agent = Agent(chat_generator=Mock(), tools=[create_tool_from_function(search)])
    agent.warm_up()
    messages = []
    for q in Q:
        messages = agent.run(messages + [ChatMessage.from_user(q)])["messages"]
    write("haystack openai", "haystack-ai", {"messages": [m.to_openai_dict_format() for m in messages]})


for f in (langgraph, openai_agents, haystack):
    f()
