"""Write conversations of agents with the frameworks' own code and mock models.

pip install pydantic-ai-slim langgraph autogen-agentchat autogen-ext openai-agents haystack-ai
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


def pydantic_ai():
    from pydantic_ai import Agent
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart

    turn = [0]

    def reply(messages, info):
        if any(isinstance(p, ToolReturnPart) for p in messages[-1].parts):
            return ModelResponse(parts=[TextPart(A[turn[0]])])
        return ModelResponse(parts=[ToolCallPart("search", {"topic": K[turn[0]]})])

    agent = Agent(FunctionModel(reply), tools=[search], system_prompt="Answer from the passages.")
    history = None
    for i, q in enumerate(Q):
        turn[0] = i
        result = agent.run_sync(q, message_history=history)
        history = result.all_messages()
    write("pydantic-ai", "pydantic-ai-slim", {"messages": json.loads(result.all_messages_json())})


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


def autogen():
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.replay import ReplayChatCompletionClient
    from autogen_core.models import CreateResult, RequestUsage
    from autogen_core import FunctionCall

    u = RequestUsage(prompt_tokens=1, completion_tokens=1)
    script = []
    for i in range(2):
        script += [
            CreateResult(
                finish_reason="function_calls", content=[FunctionCall(id=str(i), name="search", arguments=json.dumps({"topic": K[i]}))], usage=u, cached=False
            ),
            CreateResult(finish_reason="stop", content=A[i], usage=u, cached=False),
        ]

    async def run():
        c = ReplayChatCompletionClient(
            script, model_info={"vision": False, "function_calling": True, "json_output": False, "family": "unknown", "structured_output": False}
        )
        a = AssistantAgent("assistant", c, tools=[search], reflect_on_tool_use=True)
        results = [await a.run(task=q) for q in Q]
        write("autogen result", "autogen-agentchat", results[0].model_dump(mode="json"))
        write("autogen state", "autogen-agentchat", await a.save_state())

    asyncio.run(run())


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
    write("haystack", "haystack-ai", {"messages": [m.to_dict() for m in messages]})
    write("haystack openai", "haystack-ai", {"messages": [m.to_openai_dict_format() for m in messages]})


for f in (pydantic_ai, langgraph, autogen, openai_agents, haystack):
    f()
