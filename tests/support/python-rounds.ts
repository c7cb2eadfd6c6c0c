/** Task folders in the shape of lmms-eval's mmsearch and tau2_bench: Python leads a conversation. */

/** Searches with a changed picture, then summarises with the doc's own. A search without a result ends with None. */
export const searching = {
  'search.yaml': `
task: search
dataset_path: json
dataset_kwargs: {data_files: {test: ./docs.jsonl}}
test_split: test
process_docs: !function utils.process_docs
output_type: generate_until_multi_round
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_target: answer
generation_kwargs: {max_new_tokens: 8}
process_results: !function utils.process_results
metric_list:
  - {metric: found, aggregation: mean, higher_is_better: true}
lmms_eval_specific_kwargs: {most: many}
`,
  'utils.py': `
import os
from PIL import Image

CALLS = os.path.join(os.path.dirname(__file__), "calls")


def process_docs(dataset):
    def opened(doc):
        doc["picture"] = Image.open(os.path.join(os.path.dirname(__file__), doc["file"]))
        return doc
    return [opened(doc) for doc in dataset]


def doc_to_visual(doc):
    return [doc["picture"]]


def doc_to_text(doc, lmms_eval_specific_kwargs=None, previous_output=None, round_idx=None, previous_round_info=None):
    if round_idx is None:
        return f"{doc['question']} Weight {doc['weight']}."
    with open(CALLS, "a") as file:
        file.write(f"{doc['question']} {round_idx}\\n")
    if round_idx == 1:
        if previous_output[-1] == "nothing":
            return None, None, True, [previous_output[-1], None, None], None
        turned = doc["picture"].convert("L")
        info = {"result": ("page", 2.0), "by": {1: "one"}}
        return [turned], f"Rerank {previous_output[0]}, {doc['weight']}, {lmms_eval_specific_kwargs['most']}", False, previous_output, info
    if round_idx == 2:
        assert previous_round_info == {"result": ("page", 2.0), "by": {1: "one"}}, previous_round_info
        assert type(previous_round_info["result"][1]) is float
        return [doc["picture"]], f"Summarise {previous_output[1]}, {previous_round_info['result'][1]}", False, previous_output, previous_round_info
    return None, None, True, previous_output, None


def process_results(doc, results):
    rounds = results[0]
    assert len(rounds) == 3, rounds
    return {"found": 0.0 if rounds[2] is None else float(rounds[2] == doc["answer"])}
`,
  'docs.jsonl': [
    '{"question": "A?", "file": "a.png", "weight": 1.0, "answer": "right"}',
    '{"question": "B?", "file": "a.png", "weight": 2.5, "answer": "right"}',
  ].join('\n'),
} as const

/** An agent that repairs a line with tools, as JSON in its texts. */
export const repairing = {
  'repair.yaml': `
task: repair
dataset_path: json
dataset_kwargs: {data_files: {test: ./docs.jsonl}}
test_split: test
output_type: generate_until_agentic
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_target: !function utils.doc_to_target
generation_kwargs: {max_new_tokens: 8, max_agentic_steps: 3}
process_results: !function utils.process_results
metric_list:
  - {metric: success, aggregation: mean, higher_is_better: true}
  - {metric: cash, aggregation: mean, higher_is_better: true}
`,
  'utils.py': `
import copy, json


def doc_to_visual(doc):
    return []


def doc_to_target(doc):
    return doc.get("target", {})


def doc_to_text(doc, lmms_eval_specific_kwargs=None, previous_output=None, round_idx=None, previous_round_info=None):
    assert lmms_eval_specific_kwargs in (None, {}), lmms_eval_specific_kwargs
    if round_idx is None:
        return f"{doc['query']} {json.dumps(doc['state'])}"
    info = previous_round_info or {"state": copy.deepcopy(doc["state"]), "tool_calls": 0}
    said = previous_output[-1]
    if said == "submit":
        success = info["state"] == doc["target"]
        payload = {"success": success, "cash": info["state"]["cash"], "trace": previous_output}
        return None, None, True, [json.dumps(payload)], info
    info["tool_calls"] += 1
    if said == "pay":
        info["state"]["cash"] -= 1.0
    return [], f"{doc['query']} {json.dumps(info['state'])}", False, previous_output, info


def process_results(doc, results):
    payload = json.loads(results[0])
    return {"success": 1.0 if payload["success"] else 0.0, "cash": payload["cash"]}
`,
  'docs.jsonl': [
    '{"query": "A", "state": {"cash": 3.0}, "target": {"cash": 2.0}}',
    '{"query": "B", "state": {"cash": 9.5}, "target": {"cash": 2.0}}',
  ].join('\n'),
} as const
