import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { PythonAsk } from '../../../../cache/code/python/python-types.js'
import { callsOf, hasPython, labelsOf, pythonCode } from '../../../support/python-pool.js'

describe.skipIf(!hasPython())('functions in Python (needs python3)', () => {
  test('describes functions, files and import errors', async () => {
    const { pool, folder, ref } = await pythonCode(`
import helper
def doc_to_text(doc, lmms_eval_specific_kwargs=None, **more): return doc["q"]
class Keep: pass
`)
    await writeFile(join(folder, 'helper.py'), '')
    await writeFile(join(folder, 'broken.py'), 'import a_module_nobody_has\n')
    const broken = { module: 'broken', name: 'f', folder }
    // As in lmms-eval, the folder of a file is not on the path. A package called `helper` would be the wrong advice.
    expect((await pool.load([ref('doc_to_text')])).functions).toEqual([
      { error: expect.not.objectContaining({ missing: expect.anything() as string }) as Json },
    ])
    await writeFile(join(folder, 'utils.py'), 'def f(doc, kwargs=None, **more): return 1\nclass Keep: pass\n')
    const fresh = await pythonCode('import os\n')
    const loaded = await fresh.pool.load([ref('f'), ref('Keep'), ref('absent'), broken])
    expect(loaded).toMatchObject({
      functions: [
        { parameters: ['doc', 'kwargs'], required: 1, takesKwargs: true, kind: 'function' },
        { kind: 'class' },
        { error: { type: 'ImportError', message: `${join(folder, 'utils.py')} has no function "absent"` } },
        { error: { place: 'broken.py:1', missing: 'pip install a_module_nobody_has' } },
      ],
      packages: {},
    })
    // What `git hash-object` prints.
    expect(loaded.files).toEqual({
      [join(folder, 'broken.py')]: 'db9145eebffd055fcb327f9bf83a208420f40221',
      [join(folder, 'utils.py')]: '68958dd3f404183e46d116f03d2bde2d55986866',
    })
  })

  test('imports changed code again, and never runs it under the old description', async () => {
    const { pool, folder, ref } = await pythonCode('import os\ndef f(doc): return os._exit(1) if doc else 1\n')
    const first = await pool.load([ref('f')])
    await writeFile(join(folder, 'utils.py'), 'def f(doc): return 2\n')
    const call = async (doc: number): Promise<unknown> => pool.call(ref('f'), callsOf([doc]), labelsOf(1))
    expect(await call(0)).toEqual([{ ok: 1 }])
    await expect(call(1)).rejects.toThrow(/utils\.py changed while it was in use/)
    const fresh = await pythonCode('def g(doc): return 1\n')
    await fresh.pool.load([fresh.ref('g')])
    await writeFile(join(fresh.folder, 'utils.py'), 'def g(doc): return 2\n')
    const second = await fresh.pool.load([fresh.ref('g')])
    expect(await fresh.pool.call(fresh.ref('g'), callsOf([0]), labelsOf(1))).toEqual([{ ok: 2 }])
    expect(second.files).not.toEqual(first.files)
  })

  test('follows imports into the folders of tasks, also from within functions', async () => {
    const { folder } = await pythonCode('')
    const tasks = join(folder, 'tasks')
    await mkdir(join(tasks, 'one'), { recursive: true })
    await mkdir(join(tasks, 'shared'))
    await writeFile(
      join(tasks, 'one/utils.py'),
      'def f(doc):\n    from lmms_eval.tasks.shared import deep\n    return deep.x\n',
    )
    await writeFile(join(tasks, 'shared/deep.py'), 'from .deeper import x\n')
    await writeFile(join(tasks, 'shared/deeper.py'), 'x = 7\n')
    const other = await pythonCode('', { packages: [tasks] })
    const ref = { module: 'utils', name: 'f', folder: join(tasks, 'one') }
    expect(Object.keys((await other.pool.load([ref])).files)).toEqual(
      ['one/utils.py', 'shared/deep.py', 'shared/deeper.py'].map(name => join(tasks, name)),
    )
  })

  test('renders docs in order, with the same random numbers for any batches and processes', async () => {
    const { pool, ref } = await pythonCode(
      `
import random
def doc_to_text(doc, kwargs=None): return f"{kwargs['pre']}{doc['q']} {random.random()}"
def doc_to_target(doc): return doc["a"]
def doc_to_visual(doc): return [] if doc["q"] != 5 else doc["image"]
def doc_to_messages(doc, lmms_eval_specific_kwargs=None): return [{"role": "user", "content": lmms_eval_specific_kwargs["pre"]}]
`,
      { batch: 3, workers: 2 },
    )
    const docs = Array.from({ length: 20 }, (_, q) => ({ q, a: `a${q}` }))
    const names = ['doc_to_text', 'doc_to_target', 'doc_to_visual', 'doc_to_messages'] as const
    const hooks = Object.fromEntries(names.map(name => [name, ref(name)]))
    const rendered = await pool.render({ hooks, kwargs: { pre: '> ' }, docs, labels: labelsOf(20) })
    expect(rendered.map(one => one.doc_to_text)).toEqual(docs.map(({ q }) => ({ ok: `> ${q} 0.8444218515250481` })))
    expect(rendered.map(one => one.doc_to_target)).toEqual(docs.map(({ a }) => ({ ok: a })))
    expect(rendered[0]?.doc_to_messages).toEqual({ ok: [{ role: 'user', content: '> ' }] })
    expect(rendered[5]?.doc_to_visual).toEqual({
      error: { type: 'KeyError', message: "'image'", place: 'utils.py:5', trace: ['utils.py:5 in doc_to_visual'] },
    })
  })

  test('passes each function the same kwargs as lmms-eval', async () => {
    const { pool, ref } = await pythonCode(`
def doc_to_text(doc, lmms_eval_specific_kwargs="absent"): return lmms_eval_specific_kwargs
def doc_to_target(doc, given="absent", lmms_eval_specific_kwargs="absent"): return [given, lmms_eval_specific_kwargs]
def doc_to_choice(doc, lmms_eval_specific_kwargs="absent"): return lmms_eval_specific_kwargs
`)
    const names = ['doc_to_text', 'doc_to_target', 'doc_to_choice'] as const
    const work = { hooks: Object.fromEntries(names.map(name => [name, ref(name)])), docs: [{}], labels: labelsOf(1) }
    expect(await pool.render({ ...work, kwargs: { pre: '>' }, targetKwargs: 'mcq' })).toEqual([
      { doc_to_text: { ok: { pre: '>' } }, doc_to_target: { ok: ['mcq', 'absent'] }, doc_to_choice: { ok: 'absent' } },
    ])
    expect(await pool.render({ ...work, kwargs: null })).toEqual([
      { doc_to_text: { ok: 'absent' }, doc_to_target: { ok: ['absent', 'absent'] }, doc_to_choice: { ok: 'absent' } },
    ])
  })

  test('aggregates with and without arguments of the command line', async () => {
    const { pool, folder, ref } = await pythonCode(`
def mean(values): return sum(values) / len(values)
def told(values, args): return [args.limit, args.absent, len(values), "pretrained=" in args.model_args]
`)
    expect(await pool.aggregate({ ref: ref('mean'), values: [1, 2, { $float: '3.0' }, 0.5] })).toBe(1.625)
    const file = join(folder, 'values.jsonl')
    await writeFile(file, '1\n{"$float": "2.0"}\n')
    expect(await pool.aggregate({ ref: ref('told'), values: { file }, args: { limit: 8 } })).toEqual([
      8,
      null,
      2,
      false,
    ])
    await expect(pool.aggregate({ ref: ref('mean'), values: [], label: 'mmmu' })).rejects.toMatchObject({
      message: 'mmmu: utils.py:2: ZeroDivisionError: division by zero',
    })
  })

  test('a function does not see the globals that another function of its file changed, as in lmms-eval', async () => {
    const { pool, ref } = await pythonCode(`
config = {"interleaved": False}
seen = []
def doc_to_text(doc): return "<image>" if config["interleaved"] else "<image 1>"
def doc_to_messages(doc):
    config["interleaved"] = True
    seen.append(doc)
    return [{"role": "user", "content": doc_to_text(doc)}, len(seen)]
def count(values):
    seen.extend(values)
    return len(seen)
`)
    const hooks = { doc_to_text: ref('doc_to_text'), doc_to_messages: ref('doc_to_messages') }
    const rendered = await pool.render({ hooks, kwargs: null, docs: [1, 2], labels: labelsOf(2) })
    expect(rendered.map(({ doc_to_text }) => doc_to_text)).toEqual([{ ok: '<image 1>' }, { ok: '<image 1>' }])
    expect(rendered[1]?.doc_to_messages).toEqual({ ok: [{ role: 'user', content: '<image>' }, 2] })
    expect(await pool.aggregate({ ref: ref('count'), values: [1, 2] })).toBe(2)
  })

  test('each call on all docs starts with the globals and code as imported', async () => {
    const { pool, folder, ref } = await pythonCode(
      `
import random
rng = random.Random(42)
total = {"score": 0}
random.random()
def accuracy(values):
    total["score"] += sum(values)
    return [total["score"], rng.random(), random.random()]
examples = [random.random() < 2]
`,
      { workers: 1 },
    )
    await pool.load([ref('accuracy'), ref('examples')])
    const work = { ref: ref('accuracy'), values: [1, 2] }
    const [first, examples] = [await pool.aggregate(work), await pool.samples(ref('examples'))]
    // A changed file is read when the program loads functions, not in the middle of its work.
    await writeFile(join(folder, 'utils.py'), 'examples = []\ndef accuracy(values): return [0]\n')
    expect(first).toEqual([3, 0.6394267984578837, 0.8444218515250481])
    expect(await pool.aggregate(work)).toEqual(first)
    expect(await pool.samples(ref('examples'))).toEqual(examples)
  })

  test('applies filters that are classes or functions', async () => {
    const { pool, ref } = await pythonCode(`
class Cut:
    def __init__(self, size): self.size = size
    def apply(self, resps, docs): return [[one[:self.size] for one in all] for all in resps]
def first(resps, docs): return [one[0] + doc["s"] for one, doc in zip(resps, docs)]
def lose(resps, docs): return []
`)
    const given = { resps: [['abc', 'def'], ['ghi']], docs: [{ s: '1' }, { s: '2' }] }
    expect(await pool.filter({ ref: ref('Cut'), kwargs: { size: 2 }, ...given })).toEqual([['ab', 'de'], ['gh']])
    expect(await pool.filter({ ref: ref('first'), ...given })).toEqual(['abc1', 'ghi2'])
    await expect(pool.filter({ ref: ref('lose'), ...given })).rejects.toThrow('0 results for 2 docs')
  })

  test('returns examples from a function or a list', async () => {
    const { pool, ref } = await pythonCode('def made(): return [{"q": 1}]\nlisted = [{"q": (1, 2)}]\n')
    expect(await pool.samples(ref('made'))).toEqual([{ q: 1 }])
    expect(await pool.samples(ref('listed'))).toEqual([{ q: { $tuple: [1, 2] } }])
  })

  test('processes docs as a dataset', async () => {
    const { pool, folder, ref } = await pythonCode(
      'def keep(dataset): return dataset.filter(lambda doc: doc["q"] > 1)\n',
    )
    const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out.jsonl')]
    await writeFile(input, '{"q": 1}\n{"q": 2}\n{"q": 3}\n')
    expect(await pool.processDocs({ ref: ref('keep'), input, output })).toEqual({ docs: 2 })
    expect(await readFile(output, 'utf8')).toBe('{"q": 2}\n{"q": 3}\n')
  })

  test('answers requests of Python code, also from its threads', async () => {
    const asked: PythonAsk[] = []
    const { pool, ref } = await pythonCode(
      `
import sys, threading
def ask(request):
    import gc, channel
    [one] = [one for one in gc.get_objects() if isinstance(one, channel.Channel)]
    return one.ask("judge", request)
def judged(doc):
    found = {}
    threads = [threading.Thread(target=lambda n=n: found.__setitem__(n, ask({"n": n})["text"])) for n in range(3)]
    for one in threads: one.start()
    for one in threads: one.join()
    return [found[n] for n in range(3)] + [ask({"n": doc})["text"]]
def swallowed(doc):
    try:
        return ask({"fail": True})
    except Exception:
        return 0
`,
      {
        onAsk: ask => {
          asked.push(ask)
          const { n, fail } = ask.request as { n?: number; fail?: boolean }
          return fail === true
            ? Promise.reject(new Error('the judge is down'))
            : Promise.resolve({ text: `t${n ?? ''}` })
        },
      },
    )
    expect(await pool.call(ref('judged'), callsOf([7]), labelsOf(1))).toEqual([{ ok: ['t0', 't1', 't2', 't7'] }])
    expect(asked.map(({ kind, label }) => [kind, label])).toEqual(Array(4).fill(['judge', 'task/0']))
    expect(await pool.call(ref('swallowed'), callsOf([1]), labelsOf(1))).toEqual([
      { error: { type: 'JudgeError', message: 'the judge is down' } },
    ])
  })
})
