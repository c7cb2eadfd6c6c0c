import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { tryMadeUpDoc } from '../../../src/authoring/made-up-doc.js'
import { openRuntime } from '../../../src/evaluation/code-runtime.js'
import { compileScorer } from '../../../src/evaluation/tasks/compile-scorer.js'
import { loadTask } from '../../../stages/input/tasks/load-task.js'
import { hasPython, python } from '../../support/python-pool.js'
import { temporaryFolder } from '../../support/store.js'

const yaml = `task: far
dataset_path: somebody/far
test_split: test
doc_to_text: !function utils.question
doc_to_target: answer
metric_list: [{metric: exact_match}]
`

async function trial(code: string, file = yaml) {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'utils.py'), code)
  await writeFile(join(folder, 'own.ts'), 'export const broken = (doc: any) => doc.missing.call()\n')
  await writeFile(join(folder, 'far.yaml'), file)
  const runtime = openRuntime({ env: process.env, includePaths: [], python })
  onTestFinished(() => runtime.close())
  const options = { cacheDir: join(folder, 'cache'), runtime }
  const task = await loadTask(join(folder, 'far.yaml'), options)
  return tryMadeUpDoc(task, await compileScorer(task, { ...options, exported: [] }))
}

describe.skipIf(!hasPython('json'))('a synthetic doc (needs python3)', () => {
  test('has every field that functions read', async () => {
    expect(await trial('def question(doc): return doc["q"] + doc["hint"].strip() + doc["topic"]')).toEqual({
      type: 'built',
    })
  })

  test.each([
    ['def question(doc): return quesstion(doc["q"])', "name 'quesstion' is not defined"],
    ['def question(doc):\n    import no_such_package\n    return doc["q"]', 'no_such_package'],
    ['def asked(doc, more): return doc["q"]\ndef question(doc): return asked(doc)', 'missing 1 required positional'],
  ])('shows a mistake that every doc would cause: %s', async (code, reason) => {
    expect(await trial(code)).toMatchObject({ type: 'wrong', problem: expect.stringContaining(reason) as string })
  })

  test('shows a mistake of process_results, too', async () => {
    const scored = yaml.replace('metric_list:', 'process_results: !function utils.score\nmetric_list:')
    const code = 'def question(doc): return doc["q"]\ndef score(doc, results): return {"exact_match": scoore(results)}'
    expect(await trial(code, scored)).toMatchObject({
      type: 'wrong',
      problem: expect.stringContaining("name 'scoore' is not defined") as string,
    })
  })

  test.each([
    ['def question(doc): return "ABCD"[int(doc["index"])]', 'ValueError'],
    ['def question(doc): return doc["options"]["A"]', 'TypeError'],
  ])('is unsuitable for functions that need values of another form: %s', async (code, reason) => {
    expect(await trial(code)).toMatchObject({ type: 'unfit', reason: expect.stringContaining(reason) as string })
  })

  test('passes through process_docs, and is used unchanged if that keeps no doc', async () => {
    const processed = `${yaml}process_docs: !function utils.keep\n`
    const code = 'def question(doc): return doc["q"] + doc.get("added", "")\n'
    expect(await trial(`${code}def keep(docs): return docs.map(lambda doc: {**doc, "added": "x"})`, processed)).toEqual(
      {
        type: 'built',
      },
    )
    expect(await trial(`${code}def keep(docs): return docs.filter(lambda doc: False)`, processed)).toEqual({
      type: 'built',
    })
  })

  test('has the fields of templates, including fewshot_config, and pictures', async () => {
    const templates = `${yaml.replace('!function utils.question', '"{{q}} {{options}}"')}doc_to_visual: image\n`
    expect(await trial('', templates)).toEqual({ type: 'built' })
  })
})
