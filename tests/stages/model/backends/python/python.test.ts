import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { codeManifest } from '../../../../../cache/code/code-manifest.js'
import { projectRoot } from '../../../../../cache/code/project-root.js'
import { sha256 } from '../../../../../cache/digest.js'
import type { ContentPart } from '../../../../../cache/records/messages.js'
import { python } from '../../../../../stages/model/backends/python.js'
import type { BackendContext } from '../../../../../stages/model/define-backend.js'
import type { Model, ModelRequest } from '../../../../../stages/model/model.js'
import { readScheduling } from '../../../../../stages/model/model-args.js'
import { classArgs, contextIn, pythonRequest as request, withClass } from '../../../../support/python-model.js'

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
  context = contextIn(folder)
})

afterEach(() => rm(folder, { recursive: true }))

const parsed = (given: Readonly<Record<string, unknown>>) => classArgs(folder, given)
const withModel = (given: Readonly<Record<string, unknown>>, use: (model: Model) => Promise<void>) =>
  withClass(folder, given, use, context)

describe('a class with the chat interface of lmms-eval', () => {
  test('answers a batch', () =>
    withModel({ class: 'Chat', word: 'hello', batch_size: '2', threads: '3' }, async model => {
      const answers = await Promise.all(['a', 'b'].map(text => model.answer(request(text), never)))
      expect(answers.map(({ body }) => body.text)).toEqual([
        "hello a text 2 of 2 ['STOP']!",
        "hello b text 2 of 2 ['STOP']!",
      ])
    }))

  test('returns log-likelihoods', () =>
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

  test('fails only one request of a batch when it crashes', () =>
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

test('a plain class answers with generate, and its text is cut at a stop sequence', () =>
  withModel({ class: 'Easy', factor: '0.5' }, async model => {
    expect((await model.answer(request('x'), never)).body.text).toBe('user x 4 0.5 ')
    const { body } = await model.answer(request('x', { type: 'loglikelihood', continuation: ' y' }), never)
    expect(body).toMatchObject({ logprob: -2.5, isGreedy: true, continuationTokens: 3 })
    const rolling = model.answer(request('x', { type: 'loglikelihood_rolling' }), never)
    await expect(rolling).rejects.toMatchObject({ class: 'invalid_request', isRetryable: false })
  }))

test('a class with the interface of lmms-eval decodes greedily, unless the task samples', async () => {
  const sampling =
    'class Warm:\n    def generate_until(self, requests):\n        return [str({"temperature": 0.7, **requests[0].args[1]})]\n'
  await writeFile(join(folder, 'mine.py'), sampling)
  await withModel({ class: 'Warm' }, async model => {
    const told = async (generation: ModelRequest['generation']) =>
      (await model.answer({ ...request('a'), generation }, never)).body.text
    expect(await told({ max_new_tokens: 4 })).toBe("{'temperature': 0, 'max_new_tokens': 4, 'do_sample': False}")
    expect(await told({ temperature: 0.2 })).toBe("{'temperature': 0.2}")
    expect(await told({ do_sample: true })).toBe("{'temperature': 0.7, 'do_sample': True}")
  })
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

  test('does not depend on batch size, device or key', async () => {
    expect(await identity({ batch_size: 8, device: 'cuda:1', api_key: 'sk-1' })).toEqual(await identity())
  })

  test('depends on dtype and attention, not on the placement of layers', async () => {
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

test('names missing packages before any request', async () => {
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
])('rejects %j', async (given, message) => {
  await expect(python.open(parsed(given), context)).rejects.toThrow(message)
})

test('names the first cause of a failed import, and the command that installs a missing package', async () => {
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

  test('is replaced if it needs a package that is not installed', async () => {
    await installed('import torch_of_nobody\nclass lmms:\n    pass\n')
    await withModel({ class: 'Chat' }, async model => {
      expect((await model.answer(request('a'), never)).body.text).toContain('hi a')
    })
  })

  test('otherwise provides its own base class, and its errors are reported', async () => {
    await installed('class lmms:\n    def __init__(self):\n        raise RuntimeError("the real class")\n')
    await expect(python.open(parsed({ class: 'Chat' }), context)).rejects.toThrow('the real class')
    await writeFile(join(folder, 'lmms_eval/api/model.py'), 'import lmms_eval.nothing\n')
    await expect(python.open(parsed({ class: 'Chat' }), context)).rejects.toThrow("No module named 'lmms_eval.nothing'")
  })
})

test('the code identity of a Python model contains all of its files', async () => {
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

test('an error names the missing interpreter and its setting', async () => {
  const given = parsed({ class: 'Easy', python: join(folder, 'no-python') })
  await expect(python.identify(given, context)).rejects.toThrow('PIPELINE_PYTHON')
})

test('two batches of requests are in flight', () => {
  expect(readScheduling(python, parsed({ class: 'Easy', batch_size: 8 })).concurrency).toBe(16)
})
