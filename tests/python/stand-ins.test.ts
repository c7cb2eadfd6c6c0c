/** Task folders without lmms-eval, or with a copy of it whose packages are missing: what they import is there, or the message says how to get it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PythonPool } from '../../cache/code/python/python-pool.js'
import type { FunctionReference, PythonAsk, PythonOptions } from '../../cache/code/python/python-types.js'
import { callsOf, hasPython, labelsOf, pythonCode } from '../support/python-pool.js'

const hasOwnLmms = hasPython('lmms_eval')

describe.skipIf(!hasPython() || hasOwnLmms)('stand-ins for lmms-eval (needs python3 without lmms_eval)', () => {
  test('provide what most folders import', async () => {
    const { pool, ref, folder } = await pythonCode(`
import types
import lmms_eval.tasks._task_utils.file_utils as file_utils
from lmms_eval import utils
from lmms_eval.utils import eval_logger, sanitize_model_name

def values(folder):
    args = types.SimpleNamespace(output_path=folder)
    return [sanitize_model_name("org/team/model:1"), utils.resolve_cache_dir("x", "/b"), file_utils.generate_submission_file("a.json", args)]
`)
    const outcomes = await pool.call(ref('values'), callsOf([folder]), labelsOf(1))
    expect(outcomes).toEqual([{ ok: ['team__model__1', '/b/x', join(folder, 'submissions/a.json')] }])
  })

  test('a folder imports its own files by their names in lmms-eval, and they are part of its identity', async () => {
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

  test('importing a missing module is an error with the command that installs it', async () => {
    const { pool, ref } = await pythonCode(`
def filtered(doc):
    from lmms_eval.filters.extraction import RegexFilter
    return RegexFilter
def judged(doc):
    from lmms_eval.llm_judge import get_server
    return get_server
def chosen(doc):
    from lmms_eval.tasks._task_utils.mcq_extract import extract_mcq_answer
    return extract_mcq_answer(doc)
def read(doc):
    from lmms_eval.tasks._task_utils import mcq_extract
    return mcq_extract
`)
    for (const name of ['filtered', 'judged', 'chosen', 'read'])
      expect(await pool.call(ref(name), callsOf([0]), labelsOf(1))).toMatchObject([
        { error: { missing: 'pip install --no-deps lmms-eval' } },
      ])
  })

  test("judge clients accept the arguments of openai's, and reject several replies per request", async () => {
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

  test.skipIf(hasPython('requests'))('request errors can be imported if the package is missing', async () => {
    const { pool, ref } = await pythonCode(`
from requests.exceptions import RequestException
import requests
def same(_doc): return RequestException is requests.RequestException
`)
    expect(await pool.call(ref('same'), callsOf([0]), labelsOf(1))).toEqual([{ ok: true }])
  })

  test.skipIf(hasPython('tqdm'))('progress loops run without tqdm', async () => {
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

  test.skipIf(hasPython('aiohttp'))(
    'judges of a copy of lmms-eval without aiohttp use the judge of the run',
    async () => {
      const asked: PythonAsk[] = []
      const { pool, ref } = await codeBesideCopy(
        {
          'llm_judge/__init__.py': 'from .factory import ProviderFactory\n',
          'llm_judge/base.py': `
class ServerInterface:
    def __init__(self, config=None): self.config = config
    def prepare_messages(self, request): return request.messages
class AsyncServerInterface(ServerInterface): pass
`,
          'llm_judge/protocol.py': `
from types import SimpleNamespace as ServerConfig, SimpleNamespace as Request
class Response:
    def __init__(self, content, model_used, usage, raw_response): self.content, self.model_used = content, model_used
`,
          'llm_judge/factory.py': 'import aiohttp\n',
          'own.py': 'x = 7\n',
        },
        `
from lmms_eval.llm_judge import ProviderFactory
from lmms_eval.llm_judge.protocol import Request, ServerConfig
from lmms_eval.own import x
def f(doc):
    config = ServerConfig(model_name="gpt-x", max_tokens=9, temperature=0.0, top_p=None, response_format=None)
    server = ProviderFactory.create_provider("azure", config)
    said = server.evaluate(Request(messages=[{"role": "user", "content": doc}], images=None, config=None))
    return [said.content, said.model_used, x]
`,
        {
          onAsk: asking => {
            asked.push(asking)
            return Promise.resolve({ text: ' 1 ', model: 'judge' })
          },
        },
      )
      expect(await pool.call(ref, callsOf(['four?']), labelsOf(1))).toEqual([{ ok: ['1', 'judge', 7] }])
      expect(asked.map(({ request }) => request)).toMatchObject([
        { model: 'gpt-x', max_tokens: 9, messages: [{ role: 'user', content: 'four?' }] },
      ])
      expect((await pool.load([ref])).packages['lmms_eval']).toMatch(/^stand-in [0-9a-f]{12}$/)
    },
  )

  test.skipIf(hasPython('evaluate'))('modules of a copy work without packages until one is needed', async () => {
    const { pool, ref } = await codeBesideCopy(
      {
        'api/__init__.py': '',
        'api/registry.py': `
import evaluate as hf_evaluate
from lmms_eval.api.model import lmms
def get_metric(name): return hf_evaluate.load(name) if name == "bleu" else name
`,
        'api/model.py': 'import torch\nclass lmms: pass\n',
      },
      `
from lmms_eval.api.registry import get_metric
try:
    import evaluate
except ImportError:
    evaluate = None
def f(doc): return [get_metric(doc), evaluate is None]
`,
    )
    const outcomes = await pool.call(ref, callsOf(['own', 'bleu']), labelsOf(2))
    expect(outcomes).toMatchObject([{ ok: ['own', true] }, { error: { missing: 'pip install evaluate' } }])
  })
})

/** A function `f` of a task beside a copy of lmms-eval with these files. */
async function codeBesideCopy(
  files: Readonly<Record<string, string>>,
  code: string,
  options: Partial<PythonOptions> = {},
): Promise<{ pool: PythonPool; ref: FunctionReference }> {
  const { folder } = await pythonCode('')
  const copy = join(folder, 'lmms_eval')
  const all: Readonly<Record<string, string>> = { ...files, 'tasks/one/utils.py': code }
  for (const [path, text] of Object.entries(all)) {
    await mkdir(dirname(join(copy, path)), { recursive: true })
    await writeFile(join(copy, path), text)
  }
  const { pool } = await pythonCode('', { packages: [join(copy, 'tasks')], ...options })
  return { pool, ref: { module: 'utils', name: 'f', folder: join(copy, 'tasks/one') } }
}
