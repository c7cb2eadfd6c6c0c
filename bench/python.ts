import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PythonPool } from '../cache/code/python/python-pool.js'
import { projectRoot } from '../cache/code/project-root.js'
import { atMost, seconds, type Measurement } from './measurement.js'

const count = 20_000
/** Three thousand docs a second. */
const limit = count / 3_000

const code = `
def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    return doc["question"] + "\\nAnswer:"

def process_results(doc, results):
    return {"accuracy": float(doc["answer"] == results[0])}
`

/** Measures trivial functions of a task in one Python process: what remains is the way there and back. */
export const python: Measurement = {
  name: 'python',
  async measure(folder) {
    await writeFile(join(folder, 'utils.py'), code)
    const pool = new PythonPool({
      env: process.env,
      python: process.env['PIPELINE_PYTHON'] ?? 'python3',
      worker: join(projectRoot, 'src/python/worker/worker.py'),
      exchange: folder,
      workers: 1,
    })
    const ref = (name: string) => ({ module: 'utils', name, folder })
    const docs = Array.from({ length: count }, (_, id) => ({
      id,
      question: `What is the meaning of ${id}? ${'x'.repeat(200)}`,
      answer: 'A',
      options: ['a', 'b', 'c', 'd'],
      source: { page: id, lines: [1, 2, 3] },
    }))
    const labels = docs.map(({ id }) => `bench/${id}`)
    try {
      await pool.load([ref('doc_to_text'), ref('process_results')])
      const start = performance.now()
      await pool.render({ hooks: { doc_to_text: ref('doc_to_text') }, kwargs: {}, docs, labels })
      const rendered = performance.now()
      const calls = docs.map(doc => ({ args: [doc, ['A']] }))
      await pool.call(ref('process_results'), calls, labels)
      const end = performance.now()
      return [
        atMost('doc_to_text and process_results of 20,000 docs in Python', (end - start) / 1000, limit, seconds),
        atMost('  of it doc_to_text', (rendered - start) / 1000, limit / 2, seconds),
      ]
    } finally {
      await pool.close()
    }
  },
}
