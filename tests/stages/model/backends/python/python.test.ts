import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { codeManifest } from '../../../../../cache/code/code-manifest.js'
import { projectRoot } from '../../../../../cache/code/project-root.js'
import { sha256 } from '../../../../../cache/digest.js'
import type { RequestType } from '../../../../../cache/records.js'
import type { ContentPart } from '../../../../../cache/records/messages.js'
import { python } from '../../../../../stages/model/backends/python.js'
import type { BackendContext } from '../../../../../stages/model/define-backend.js'
import type { Model, ModelRequest } from '../../../../../stages/model/model.js'
import { parseModelArgs, schedulingOf } from '../../../../../stages/model/model-args.js'

const never = new AbortController().signal

const source = `
import os
from helper import ending
from lmms_eval.api.model import lmms
from lmms_eval.api.registry import register_model
print("this line must not disturb the protocol")

@register_model("talker")
class Chat(lmms):
    is_simple = False
    def __init__(self, word="hi", batch_size=1, **kwargs):
        super().__init__()
        self.word, self.size, self.others = word, batch_size, kwargs
    def generate_until(self, requests):
        answers = []
        for context, doc_to_messages, generation, doc_id, task, split in [request.args for request in requests]:
            messages = doc_to_messages(self.task_dict[task][split][doc_id])
            if context == "raise":
                raise KeyError("image")
            if context == "crash":
                os.kill(os.getpid(), 11)
            kinds = "+".join(part["type"] for message in messages for part in message["content"])
            answers.append(f"{self.word} {context} {kinds} {len(requests)} of {self.size} {generation['until']}{ending}")
        return answers
    def loglikelihood(self, requests):
        return [(-float(len(request.args[1])), request.args[0] == "sure") for request in requests]

class Simple(lmms):
    def generate_until(self, requests):
        rows = [request.args for request in requests]
        context, generation, doc_to_visual, doc_id, task, split = rows[0]
        visuals = doc_to_visual(self.task_dict[task][split][doc_id])
        return [(f"{context} {type(visuals[0]).__name__} {open(visuals[0], 'rb').read(4)!r} {visuals[0][-4:]}", {"input_tokens": 5, "output_tokens": 2})]

class Easy:
    def __init__(self, factor: float = 1):
        self.factor = factor
    def generate(self, messages, max_new_tokens=16, until=None):
        text = messages[-1]["content"][-1]["text"]
        return f"{messages[0]['role']} {text} {max_new_tokens} {self.factor} STOP more"
    def loglikelihood(self, messages, continuation):
        return -2.5, True, 3
`

let folder: string
let context: BackendContext

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'python-model-'))
  await writeFile(join(folder, 'mine.py'), source)
  await writeFile(join(folder, 'helper.py'), 'ending = "!"\n')
  context = {
    env: process.env,
    readMedia: () => Promise.reject(new Error('media are read by their paths')),
    mediaPath: () => join(folder, 'medium'),
    fileDigest: async path => sha256(await readFile(path)),
  }
})

afterEach(() => rm(folder, { recursive: true }))

const parsed = (given: Readonly<Record<string, unknown>>) =>
  parseModelArgs(python, { file: join(folder, 'mine.py'), ...given }) as Parameters<typeof python.open>[0]

async function withModel(
  given: Readonly<Record<string, unknown>>,
  use: (model: Model) => Promise<void>,
): Promise<void> {
  const model = await python.open(parsed(given), context)
  await use(model).finally(() => model.close?.())
}

const request = (text: string, more: { type?: RequestType; media?: ContentPart[]; continuation?: string } = {}) =>
  ({
    input: {
      type: more.type ?? 'generate_until',
      messages: [{ role: 'user', content: [...(more.media ?? []), { type: 'text', text }] }],
      continuation: more.continuation,
    },
    generation: { until: ['STOP'], max_new_tokens: 4 },
    sample: 0,
  }) satisfies ModelRequest

describe('a class with the chat interface of lmms-eval', () => {
  test('answers a batch', () =>
    withModel({ class: 'Chat', word: 'hello', batch_size: '2', threads: '3' }, async model => {
      const answers = await Promise.all(['a', 'b'].map(text => model.answer(request(text), never)))
      expect(answers.map(({ body }) => body.text)).toEqual([
        "hello a text 2 of 2 ['STOP']!",
        "hello b text 2 of 2 ['STOP']!",
      ])
    }))

  test('gives log-likelihoods', () =>
    withModel({ class: 'Chat' }, async model => {
      const { body } = await model.answer(request('sure', { type: 'loglikelihood', continuation: ' yes' }), never)
      expect(body).toMatchObject({ text: '', logprob: -4, isGreedy: true })
    }))

  test('names the line that raised an exception', () =>
    withModel({ class: 'Chat' }, async model => {
      await expect(model.answer(request('raise'), never)).rejects.toThrow(
        "class Chat of mine.py: KeyError: 'image' (mine.py:19 in generate_until)",
      )
      expect((await model.answer(request('a'), never)).body.text).toContain('hi a')
    }))

  test('a crash fails one request of a batch', () =>
    withModel({ class: 'Chat', batch_size: 2 }, async model => {
      const crash = model.answer(request('crash'), never)
      const other = model.answer(request('a'), never)
      await expect(crash).rejects.toMatchObject({
        isRetryable: true,
        message: expect.stringContaining('SIGSEGV') as string,
      })
      expect((await other).body.text).toContain('hi a')
    }))
})

test('a class with the simple interface of lmms-eval gets the path of a video with its extension', async () => {
  await writeFile(join(folder, 'medium'), Buffer.from('\x1a\x45\xdf\xa3webm V_VP9', 'latin1'))
  await withModel({ class: 'Simple' }, async model => {
    const media: ContentPart[] = [{ type: 'video', media: sha256('medium') }]
    const { body, usage } = await model.answer(request('what?', { media }), never)
    expect(body.text).toMatch(/^what\? str b'\\x1aE\\xdf\\xa3' /)
    expect(usage).toEqual({ inputTokens: 5, outputTokens: 2 })
  })
})

test('a class with generate_until needs no constructor', async () => {
  await writeFile(
    join(folder, 'mine.py'),
    'class Bare:\n    def generate_until(self, requests):\n        return ["b"]\n',
  )
  await withModel({ class: 'Bare' }, async model => {
    expect((await model.answer(request('a'), never)).body.text).toBe('b')
  })
})

test('a plain class answers with generate, and its text ends before a stop sequence', () =>
  withModel({ class: 'Easy', factor: '0.5' }, async model => {
    expect((await model.answer(request('x'), never)).body.text).toBe('user x 4 0.5 ')
    const { body } = await model.answer(request('x', { type: 'loglikelihood', continuation: ' y' }), never)
    expect(body).toMatchObject({ logprob: -2.5, isGreedy: true, continuationTokens: 3 })
    const rolling = model.answer(request('x', { type: 'loglikelihood_rolling' }), never)
    await expect(rolling).rejects.toMatchObject({ class: 'invalid_request', isRetryable: false })
  }))

describe('a class that misbehaves', () => {
  const misbehaving = `
import abc, random, sys, time
class Base(abc.ABC):
    @abc.abstractmethod
    def loglikelihood(self, requests): ...
class Odd(Base):
    is_simple = False
    def generate_until(self, requests):
        text = requests[0].args[0]
        if text == "hang":
            time.sleep(3600)
        if text == "exit":
            sys.exit(3)
        others = {"none": None, "few": [], "number": [3], "draw": [str(random.random())]}
        if text in others:
            return others[text]
        return [f"{request.args[3]} {self.task_dict[request.args[4]][request.args[5]][request.args[3]]['messages'][0]['content'][0]['text']}" for request in requests]
class Scored:
    def generate(self, messages):
        return ""
    def loglikelihood(self, messages, continuation):
        return float(continuation), False
class Made:
    @classmethod
    def create_from_arg_string(cls, text, more=None):
        made = cls()
        made.text = f"{text} {more}"
        return made
    def generate_until(self, requests):
        return [self.text]
`
  beforeEach(() => writeFile(join(folder, 'mine.py'), misbehaving))

  test.each([
    ['none', 'generate_until must return a list with an answer to each request, not NoneType'],
    ['few', 'generate_until returned 0 answers to 1 requests'],
    ['number', 'an answer must be a text, not int'],
    ['exit', 'SystemExit: 3 (mine.py:13 in generate_until)'],
  ])('fails the request %s, and answers the next one', (text, message) =>
    withModel({ class: 'Odd' }, async model => {
      await expect(model.answer(request(text), never)).rejects.toThrow(message)
      expect((await model.answer(request('a'), never)).body.text).toBe('1 a')
    }),
  )

  test('is ended if it hangs longer than timeout, and the next request gets a new process', () =>
    withModel({ class: 'Odd', timeout: 2 }, async model => {
      await expect(model.answer(request('hang'), never)).rejects.toThrow('did not answer within 2 s (timeout=2)')
      expect((await model.answer(request('a'), never)).body.text).toBe('0 a')
    }))

  test('gets a doc_id of its own for each request', () =>
    withModel({ class: 'Odd', batch_size: 2 }, async model => {
      const answers = await Promise.all(['a', 'b', 'c'].map(text => model.answer(request(text), never)))
      expect(answers.map(({ body }) => body.text)).toEqual(['0 a', '1 b', '2 c'])
    }))

  test('draws differently for each sample of a prompt, and the same again for the same sample', () =>
    withModel({ class: 'Odd' }, async model => {
      const drawn = async (sample: number) => (await model.answer({ ...request('draw'), sample }, never)).body.text
      const [first, second] = [await drawn(0), await drawn(1)]
      expect(second).not.toBe(first)
      expect(await drawn(0)).toBe(first)
    }))

  test('lacks what its base class only declares', () =>
    withModel({ class: 'Odd' }, async model => {
      const asked = model.answer(request('a', { type: 'loglikelihood', continuation: 'b' }), never)
      await expect(asked).rejects.toMatchObject({ class: 'invalid_request', message: /class Odd has no loglikelihood/ })
    }))

  test('may return a loss instead of a log-likelihood, but no number that is none', () =>
    withModel({ class: 'Scored' }, async model => {
      const scored = (continuation: string) =>
        model.answer(request('a', { type: 'loglikelihood', continuation }), never)
      expect((await scored('3.5')).body.logprob).toBe(-3.5)
      expect((await scored('-2')).body.logprob).toBe(-2)
      await expect(scored('nan')).rejects.toThrow('must be a finite number, not nan')
    }))

  test('is made by its own create_from_arg_string', () =>
    withModel({ class: 'Made', colour: 'red', size: '2' }, async model => {
      expect((await model.answer(request('a'), never)).body.text).toBe("colour=red,size=2 {'batch_size': 1}")
    }))
})

describe('identity', () => {
  const identity = (given = {}) => python.identify(parsed({ class: 'Chat', ...given }), context)

  test('changes with a file that the class imports, and with its arguments', async () => {
    const before = await identity()
    expect(Object.keys(before.files ?? {}).sort()).toEqual(['helper.py', 'mine.py'])
    expect(await identity({ word: 'hello' })).not.toEqual(before)
    await writeFile(join(folder, 'helper.py'), 'ending = "?"\n')
    expect(await identity()).not.toEqual(before)
  })

  test('depends on no batch size, device or key', async () => {
    expect(await identity({ batch_size: 8, device: 'cuda:1', api_key: 'sk-1' })).toEqual(await identity())
  })

  test('depends on arguments that choose the arithmetic, not on the place of the layers', async () => {
    const before = await identity()
    expect(await identity({ device_map: 'auto' })).toEqual(before)
    for (const given of [{ dtype: 'bfloat16' }, { attn_implementation: 'sdpa' }])
      expect(await identity(given)).not.toEqual(before)
  })

  test('contains the files of local weights', async () => {
    await writeFile(join(folder, 'weights.bin'), 'w')
    const { files } = await identity({ pretrained: folder })
    expect(Object.keys(files ?? {})).toContain('pretrained/weights.bin')
  })
})

test('missing packages are named before anything is asked', async () => {
  await writeFile(
    join(folder, 'mine.py'),
    'import cv2_of_nobody\nfrom PIL_of_nobody import Image\ntry:\n  import optional_x\nexcept ImportError:\n  pass\nclass A: pass\n',
  )
  await expect(python.ready?.(parsed({ class: 'A' }), context)).rejects.toThrow(
    /python3 -m pip install PIL_of_nobody cv2_of_nobody$/,
  )
})

test.each([
  [{ class: 'Nobody' }, 'mine.py has no class Nobody'],
  [{ class: 'Easy', colour: 'red' }, 'TypeError'],
])('%j cannot be loaded', async (given, message) => {
  await expect(python.open(parsed(given), context)).rejects.toThrow(message)
})

test('the first cause of a failed import is named, with the command that installs a missing package', async () => {
  const lazy = [
    'try:',
    '    import package_of_nobody',
    'except ImportError as error:',
    '    raise ImportError("Could not import module Lazy") from error',
  ]
  await writeFile(join(folder, 'mine.py'), lazy.join('\n'))
  await expect(python.open(parsed({ class: 'Easy' }), context)).rejects.toThrow(
    /Could not import module Lazy, because of ModuleNotFoundError: No module named 'package_of_nobody'.*pip install package_of_nobody/,
  )
})

describe('an installed lmms-eval', () => {
  const installed = async (model: string): Promise<void> => {
    for (const part of ['lmms_eval', 'lmms_eval/api']) {
      await mkdir(join(folder, part))
      await writeFile(join(folder, part, '__init__.py'), '')
    }
    await writeFile(join(folder, 'lmms_eval/api/model.py'), model)
    await writeFile(
      join(folder, 'lmms_eval/api/registry.py'),
      'from lmms_eval.api.model import lmms\ndef register_model(name):\n    return lambda cls: cls\n',
    )
    context = { ...context, env: { ...process.env, PYTHONPATH: folder } }
  }

  test('is replaced where it needs a package that is not installed', async () => {
    await installed('import torch_of_nobody\nclass lmms:\n    pass\n')
    await withModel({ class: 'Chat' }, async model => {
      expect((await model.answer(request('a'), never)).body.text).toContain('hi a')
    })
  })

  test('gives its own base class otherwise, and an error of its own stays an error', async () => {
    await installed('class lmms:\n    def __init__(self):\n        raise RuntimeError("the real class")\n')
    await expect(python.open(parsed({ class: 'Chat' }), context)).rejects.toThrow('the real class')
    await writeFile(join(folder, 'lmms_eval/api/model.py'), 'import lmms_eval.nothing\n')
    await expect(python.open(parsed({ class: 'Chat' }), context)).rejects.toThrow("No module named 'lmms_eval.nothing'")
  })
})

test('the code of a model in Python counts with every file that it consists of', async () => {
  const files = (await readdir(join(projectRoot, 'src/python'))).filter(name => name.endsWith('.py'))
  const own = files.filter(name => name.startsWith('models'))
  expect(python.code.files).toEqual(expect.arrayContaining(own.map(name => `src/python/${name}`)))
  const others = files.filter(name => !own.includes(name)).map(name => name.slice(0, -3))
  for (const name of own) {
    const text = await readFile(join(projectRoot, 'src/python', name), 'utf8')
    const imported = [...text.matchAll(/^\s*(?:from|import) (\w+)/gm)].map(([, module]) => module)
    expect(
      imported.filter(module => module !== undefined && others.includes(module)),
      name,
    ).toEqual([])
  }
  const { files: digests } = await codeManifest(python.code)
  expect(digests['src/python/models_hf.py']).toMatch(/^[0-9a-f]{40}$/)
})

test('an interpreter that does not exist is named with its setting', async () => {
  const given = parsed({ class: 'Easy', python: join(folder, 'no-python') })
  await expect(python.identify(given, context)).rejects.toThrow('PIPELINE_PYTHON')
})

test('two batches of requests are in flight', () => {
  expect(schedulingOf(python, parsed({ class: 'Easy', batch_size: 8 })).concurrency).toBe(16)
})
