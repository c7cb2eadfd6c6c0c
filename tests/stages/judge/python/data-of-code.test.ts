/** Data files that Python code reads at import are part of its identity, as the YAML of lmms-eval's `emma` is. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { evaluate, judge } from '../../../../src/index.js'
import { hasPython, python } from '../../../support/python-pool.js'
import { temporaryFolder } from '../../../support/store.js'

const code = `
import json, os
with open(os.path.join(os.path.dirname(__file__), "rules.json")) as file:
    POINTS = json.load(file)["points"]

def score(doc, results):
    return {"points": POINTS}
`

describe.skipIf(!hasPython('json'))('a data file that the code of a task reads (needs python3)', () => {
  test('is scored anew when it changed, and another file of the folder changes nothing', async () => {
    const folder = await temporaryFolder()
    const task = join(folder, 't.yaml')
    const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)
    await write('test.jsonl', '{"q": "Which?"}\n')
    await write('utils.py', code)
    await write('rules.json', '{"points": 1}')
    const lines = 'doc_to_text: q\ndoc_to_target: q\nprocess_results: !function utils.score\n'
    await write('t.yaml', `task: t\ndataset_path: ./test.jsonl\n${lines}metric_list: [{metric: points}]\n`)
    const options = { store: join(folder, 'store'), model: 'dummy', tasks: [task], python }
    const pointsOf = (run: Awaited<ReturnType<typeof evaluate>>) => run.of(task).metrics['points']?.value
    const first = await evaluate(options)
    expect(pointsOf(first)).toBe(1)
    await write('other.json', '{"points": 3}')
    expect((await evaluate(options)).run.name).toBe(first.run.name)
    await write('rules.json', '{"points": 2}')
    expect(pointsOf(await evaluate(options))).toBe(2)
    const rescored = await judge(first, { python })
    expect(rescored.judgement?.aggregates?.map(({ value }) => value)).toEqual([2])
    // A file of several megabytes is part of the identity, too.
    const spaces = ' '.repeat(3 * 2 ** 20)
    for (const points of [3, 4]) {
      await write('rules.json', `{"points": ${points}}${spaces}`)
      expect(pointsOf(await evaluate(options))).toBe(points)
    }
  })
})
