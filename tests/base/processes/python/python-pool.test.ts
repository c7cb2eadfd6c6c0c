import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import { PythonPool } from '../../../../base/processes/python/python-pool.js'
import type { FunctionReference, PythonOptions } from '../../../../base/processes/python/python-types.js'
import { root } from '../../../support/cli.js'
import { temporaryFolder } from '../../../support/store.js'

const python = 'python3'
const hasPython = spawnSync(python, ['-c', '']).status === 0
const pools: PythonPool[] = []
afterEach(async () => {
  await Promise.all(pools.splice(0).map(pool => pool.close()))
})

/** A pool, and a reference to a function of the code. */
async function running(
  code: string,
  options: Partial<PythonOptions> = {},
): Promise<{ pool: PythonPool; folder: string; ref: (name: string) => FunctionReference }> {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'utils.py'), code)
  const pool = new PythonPool({
    python,
    worker: join(root, 'src/python/worker.py'),
    exchange: folder,
    seconds: 20,
    ...options,
  })
  pools.push(pool)
  return { pool, folder, ref: name => ({ module: 'utils', name, folder }) }
}

const labelsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `task/${index}`)
const argsOf = (values: readonly Json[]): { args: Json[] }[] => values.map(value => ({ args: [value] }))

describe.skipIf(!hasPython)('functions in Python (needs python3)', () => {
  test('describes functions, files and errors of imports', async () => {
    const { pool, folder, ref } = await running(`
def doc_to_text(doc, lmms_eval_specific_kwargs=None, **more): return doc["q"]
class Keep: pass
`)
    await writeFile(join(folder, 'broken.py'), 'import a_module_nobody_has\n')
    const loaded = await pool.load([
      ref('doc_to_text'),
      ref('Keep'),
      ref('absent'),
      { module: 'broken', name: 'f', folder },
    ])
    expect(loaded.functions).toEqual([
      { parameters: ['doc', 'lmms_eval_specific_kwargs'], required: 1, takesKwargs: true, kind: 'function' },
      { parameters: [], required: 0, takesKwargs: false, kind: 'class' },
      {
        error: expect.objectContaining({
          type: 'ImportError',
          message: expect.stringContaining('no function "absent"') as string,
        }) as Json,
      },
      { error: expect.objectContaining({ place: 'broken.py:1', missing: 'pip install a_module_nobody_has' }) as Json },
    ])
    expect(Object.keys(loaded.files)).toEqual([join(folder, 'broken.py'), join(folder, 'utils.py')])
  })

  test('renders docs in order, whatever the batches and processes', async () => {
    const { pool, ref } = await running(
      `
import random
def doc_to_text(doc, kwargs=None): return f"{kwargs['pre']}{doc['q']} {random.random()}"
def doc_to_target(doc): return doc["a"]
def doc_to_visual(doc): return [] if doc["q"] != 5 else doc["image"]
`,
      { batch: 3, workers: 2 },
    )
    const docs = Array.from({ length: 20 }, (_, q) => ({ q, a: `a${q}` }))
    const hooks = {
      doc_to_text: ref('doc_to_text'),
      doc_to_target: ref('doc_to_target'),
      doc_to_visual: ref('doc_to_visual'),
    }
    const rendered = await pool.render({ hooks, kwargs: { pre: '> ' }, docs, labels: labelsOf(20) })
    expect(rendered.map(one => one.doc_to_text)).toEqual(docs.map(({ q }) => ({ ok: `> ${q} 0.8444218515250481` })))
    expect(rendered.map(one => one.doc_to_target)).toEqual(docs.map(({ a }) => ({ ok: a })))
    expect(rendered[5]?.doc_to_visual).toEqual({
      error: { type: 'KeyError', message: "'image'", place: 'utils.py:5', trace: ['utils.py:5 in doc_to_visual'] },
    })
  })
})
