/** A word at `doc_to_target` that is no column: the target itself where no score depends on it, and else a mistake. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../../../../src/index.js'
import { hasPython, python } from '../../../support/python-pool.js'
import { temporaryFolder } from '../../../support/store.js'

async function evaluated(lines: string, target: string) {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'data'))
  await writeFile(join(folder, 'data/test.jsonl'), '{"q": "Which?", "answers": ["a"]}\n')
  await writeFile(join(folder, 'utils.py'), 'def score(doc, results): return {"points": len(doc["answers"])}\n')
  await writeFile(join(folder, 'own.ts'), 'export const score = () => ({ points: 1 })\n')
  const task = join(folder, 't.yaml')
  await writeFile(
    task,
    `task: t\ndataset_path: ./data\ntest_split: test\ndoc_to_text: q\ndoc_to_target: ${target}\n${lines}`,
  )
  const notes: string[] = []
  const run = await evaluate({
    store: join(folder, 'store'),
    model: 'dummy',
    tasks: [task],
    python,
    onEvent(event) {
      if (event.type === 'note') notes.push(event.text)
    },
  })
  return { run, notes, task }
}

const inPython = 'process_results: !function utils.score\nmetric_list: [{metric: points}]\n'

describe.skipIf(!hasPython('json'))('a word at doc_to_target that is not a column (needs python3)', () => {
  test.each(['utils.my_doc_to_target', 'answer'])(
    'is the target itself, with a note, if process_results in Python scores: %s',
    async word => {
      const { run, notes, task } = await evaluated(inPython, word)
      expect(run.of(task).metrics['points']?.value).toBe(1)
      for await (const { target } of run.samples()) expect(target).toBe(word)
      expect(notes.filter(note => note.includes(`t.yaml:5:16  doc_to_target: dataset column "${word}"`))).toHaveLength(
        1,
      )
    },
  )

  test.each([
    ['a metric compares it', 'metric_list: [{metric: exact_match}]\n'],
    [
      'process_results in TypeScript gets it',
      'process_results: !function own.score\nmetric_list: [{metric: points}]\n',
    ],
    ['its likelihood is asked', `output_type: loglikelihood\n${inPython}`],
  ])('is an error that names the nearest column if %s', async (_, lines) => {
    await expect(evaluated(lines, 'answer')).rejects.toThrow(
      /t\.yaml:5:16 {2}doc_to_target: dataset column "answer" is not there \(it has q, answers\)\. Did you mean "answers"\?$/m,
    )
  })
})
