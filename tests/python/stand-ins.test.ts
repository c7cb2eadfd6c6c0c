/** Task folders of lmms-eval that lie alone: what they import of lmms-eval is there, with the numbers that lmms-eval computes. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PythonAsk } from '../../base/processes/python/python-types.js'
import { callsOf, hasPython, labelsOf, pythonCode } from '../support/python-pool.js'

const hasOwnLmms = hasPython('lmms_eval')

describe.skipIf(!hasPython() || hasOwnLmms)('stand-ins for lmms-eval (needs python3 without lmms_eval)', () => {
  test('give the values of lmms-eval', async () => {
    const { pool, ref } = await pythonCode(`
from lmms_eval.api.metrics import anls, levenshtein_distance
from lmms_eval.filters.extraction import MultiChoiceRegexFilter
from lmms_eval.filters.transformation import MapFilter
from lmms_eval.tasks._task_utils.mcq_extract import extract_mcq_answer
from lmms_eval.tasks._task_utils.vqa_eval_metric import EvalAIAnswerProcessor
from lmms_eval.tasks._task_utils.reasoning_utils import extract_anwser_tag, format_reward
from lmms_eval.utils import sanitize_model_name
import lmms_eval.tasks._task_utils.file_utils as file_utils

def values(_doc):
    choices = [{"choices": ["apple", "red sky"]}]
    return [
        levenshtein_distance("kitten", "sitting"),
        anls(["Red Sky"], ["red sky!"])["anls"],
        MultiChoiceRegexFilter(r"(\\([A-Z]\\))").apply([["It is (B).", "red sky", "Answer: A", "no"]], choices),
        MapFilter({"A": 1}, 0).apply([["A", "B"]], choices),
        [extract_mcq_answer(text) for text in ["The correct answer is (B).", "C", "", "A or D"]],
        EvalAIAnswerProcessor()("The dont, three cats!"),
        [extract_anwser_tag(text) for text in ["<answer>4</answer>", "\\\\boxed{{5}}", "it is\\n6."]],
        format_reward("<think>a</think> <answer>b</answer>"),
        sanitize_model_name("org/team/model:1"),
    ]
`)
    expect(await pool.call(ref('values'), callsOf([0]), labelsOf(1))).toEqual([
      {
        ok: [
          3,
          0.875,
          [['(B)', '(B)', '(A)', '[invalid]']],
          [[1, 0]],
          ['B', 'C', '', 'A'],
          "don't 3 cats",
          ['4', '{5}', '6'],
          { $float: '1.0' },
          'team__model__1',
        ],
      },
    ])
  })

  test('ask the judge of the run, with the prompt of lmms-eval', async () => {
    const asked: PythonAsk[] = []
    const { pool, ref } = await pythonCode(
      `
from lmms_eval.llm_judge import ServerConfig, get_server
from lmms_eval.verifiers import VerificationPipeline
from lmms_eval.verifiers.extractors import StripReasoningExtractor
from lmms_eval.verifiers.openai import OpenAIVerifier
server = get_server(server_name="openai", config=ServerConfig(model_name="gpt-x"))
check = VerificationPipeline([StripReasoningExtractor()], OpenAIVerifier(custom_prompt="{prediction}?"))
def judged(doc):
    said = server.evaluate_binary(question="q", answer="4", prediction=doc)
    verdict = check("q", "<think>x</think>" + doc, "4")
    return [said["result"], said["raw_response"], verdict.is_correct, verdict.metadata["extracted_prediction"]]
`,
      {
        onAsk: asking => {
          asked.push(asking)
          return Promise.resolve({ text: '1', model: 'judge' })
        },
      },
    )
    expect(await pool.call(ref('judged'), callsOf(['four']), labelsOf(1))).toEqual([{ ok: [1, '1', true, 'four'] }])
    expect(asked.map(({ request }) => request)).toMatchObject([
      {
        model: 'gpt-x',
        max_tokens: 1024,
        messages: [{ role: 'user', content: expect.stringMatching(/^You are a strict evaluator/) as string }],
      },
      { messages: [{ content: 'four?' }] },
    ])
  })

  test('a folder finds its own files by their names in lmms-eval, and they count for its identity', async () => {
    const { pool, folder } = await pythonCode('')
    const task = join(folder, 'mybench')
    await mkdir(join(task, 'reasoning'), { recursive: true })
    await writeFile(join(task, 'evals.py'), 'from lmms_eval.utils import eval_logger\nvalue = 7\n')
    const later = 'def f(doc):\n    from lmms_eval.tasks.mybench.evals import value\n    return value + doc\n'
    await writeFile(join(task, 'reasoning', 'utils.py'), later)
    const own = { module: 'utils', name: 'f', folder: join(task, 'reasoning') }
    const loaded = await pool.load([own])
    expect(Object.keys(loaded.files)).toEqual([join(task, 'evals.py'), join(task, 'reasoning', 'utils.py')])
    expect(loaded.packages['lmms_eval']).toMatch(/^stand-in [0-9a-f]{12}$/)
    expect(await pool.call(own, callsOf([1]), labelsOf(1))).toEqual([{ ok: 8 }])
  })

  test('a name that is not there is an error, never another value', async () => {
    const { pool, ref } = await pythonCode(`
from lmms_eval.tasks._task_utils.reasoning_utils import compute_score
def metric(doc):
    from lmms_eval.api.registry import get_metric
    return get_metric("bleu")
def score(doc): return compute_score("x", "<answer>two</answer>", doc)["acc_score"]
`)
    expect(await pool.call(ref('metric'), callsOf([0]), labelsOf(1))).toMatchObject([
      { error: { type: 'KeyError', message: expect.stringContaining('bleu') as string } },
    ])
    const scores = await pool.call(ref('score'), callsOf(['two', 'three']), labelsOf(2))
    expect(scores[0]).toEqual({ ok: { $float: '1.0' } })
    if (!hasPython('math_verify')) expect(scores[1]).toMatchObject({ error: { missing: 'pip install math-verify' } })
  })

  test('clients of judges take what those of openai take, and refuse several replies at once', async () => {
    const { pool, ref } = await pythonCode(
      `
import asyncio
import openai
messages = [{"role": "user", "content": "?"}]
def judged(doc):
    reply = openai.OpenAI("key").chat.completions.create(model="m", messages=messages, n=doc)
    client = openai.AsyncOpenAI("key")
    later = asyncio.run(client.beta.chat.completions.parse(model="m", messages=messages))
    return [reply.choices[0].message.content, later.choices[0].message.content, client.api_key]
`,
      { onAsk: () => Promise.resolve({ text: '1', model: 'judge' }) },
    )
    const [one, several] = await pool.call(ref('judged'), callsOf([1, 3]), labelsOf(2))
    expect(one).toEqual({ ok: ['1', '1', 'key'] })
    expect(several).toMatchObject({ error: { message: expect.stringContaining('3 replies at once (n=3)') as string } })
  })

  test.skipIf(hasPython('requests'))('errors of requests are importable where it is missing', async () => {
    const { pool, ref } = await pythonCode(`
from requests.exceptions import RequestException
import requests
def same(_doc): return RequestException is requests.RequestException
`)
    expect(await pool.call(ref('same'), callsOf([0]), labelsOf(1))).toEqual([{ ok: true }])
  })

  test.skipIf(hasPython('tqdm'))('loops that show their progress run where tqdm is missing', async () => {
    const { pool, ref } = await pythonCode(`
from tqdm import tqdm, trange
def looped(doc):
    with tqdm(total=2) as bar:
        bar.update(2)
    return [list(tqdm([1, 2], desc="x")), [each for each in trange(2)], [each for each in enumerate(tqdm(doc))], bar.n]
`)
    const expected = [[1, 2], [0, 1], [{ $tuple: [0, 'a'] }], 2]
    expect(await pool.call(ref('looped'), callsOf(['a']), labelsOf(1))).toEqual([{ ok: expected }])
  })

  test.skipIf(hasPython('aiohttp'))('take the place of modules of a copy of lmms-eval that lack packages', async () => {
    const { folder } = await pythonCode('')
    const tasks = join(folder, 'lmms_eval/tasks')
    await mkdir(join(tasks, 'one'), { recursive: true })
    await mkdir(join(folder, 'lmms_eval/llm_judge'))
    await writeFile(join(folder, 'lmms_eval/llm_judge/__init__.py'), 'import aiohttp\n')
    await writeFile(join(folder, 'lmms_eval/own.py'), 'x = 7\n')
    const { pool } = await pythonCode('', { packages: [tasks] })
    const code = 'from lmms_eval.llm_judge import get_server\nfrom lmms_eval.own import x\ndef f(doc): return x\n'
    await writeFile(join(tasks, 'one/utils.py'), code)
    const ref = { module: 'utils', name: 'f', folder: join(tasks, 'one') }
    expect(await pool.call(ref, callsOf([0]), labelsOf(1))).toEqual([{ ok: 7 }])
    expect((await pool.load([ref])).packages['lmms_eval']).toMatch(/^stand-in [0-9a-f]{12}$/)
  })
})
