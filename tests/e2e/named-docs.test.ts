import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownTask } from '../support/own-task.js'

interface Results {
  readonly tasks: { readonly mytask: { readonly exact_match: { readonly n: number } } }
}
const countDocs = (stdout: string): number => (JSON.parse(stdout) as Results).tasks.mytask.exact_match.n

test('resumes only the selected docs and leaves the others open', async () => {
  const task = await ownTask()
  expect(await task.run(...task.line, '--max-requests', '1', '--concurrency', '1')).toMatchObject({ code: 2 })
  expect(await task.requests()).toBe(1)
  const key = ['--model-args', 'api_key=sk-very-secret']
  const unknown = await task.run('resume', 'last', ...key, '--docs', 'q9')
  expect(unknown).toMatchObject({ code: 1 })
  expect(unknown.stderr).toContain('--docs: no doc of mytask has the id "q9"')

  const one = await task.run('resume', 'last', ...key, '--max-requests', '9', '--docs', 'q[45]', '--json')
  expect(one).toMatchObject({ code: 2 })
  expect(countDocs(one.stdout)).toBe(3)
  expect(await task.requests()).toBe(3)
  const asked = await task.run('report', 'last', '--answer', 'blue', '--json')
  expect(asked.stdout.match(/"doc_id":"q[345]"/g)).toEqual(['"doc_id":"q4"', '"doc_id":"q5"'])

  const rest = await task.run('resume', 'last', ...key, '--max-requests', '9', '--json')
  expect(rest).toMatchObject({ code: 0 })
  expect(countDocs(rest.stdout)).toBe(6)
  expect(await task.requests()).toBe(6)
})

test('evaluates only the selected docs, and sends one again without losing the old answer', async () => {
  const task = await ownTask()
  const evaluate = (...flags: string[]) => task.run(...task.line, ...flags)

  await writeFile(join(task.folder, 'ids.txt'), 'q1\nq3\n')
  const named = await evaluate('--docs', 'ids.txt', '--docs', 'q[2]', '--json')
  expect(named).toMatchObject({ code: 0 })
  expect(countDocs(named.stdout)).toBe(3)
  expect(await task.requests()).toBe(3)
  expect((await task.run('runs', 'show', 'last')).stdout).toContain('{"docs":["q1","q3","q[2]"]}')

  const fresh = await evaluate('--docs', 'q2', '--fresh', '--json')
  expect(countDocs(fresh.stdout)).toBe(1)
  expect(await task.requests()).toBe(4)
  // The first run has all its answers.
  const again = await evaluate('--docs', 'ids.txt', '--docs', 'q[2]', '--json')
  expect(countDocs(again.stdout)).toBe(3)
  expect(await task.requests()).toBe(4)

  const unknown = await evaluate('--docs', 'q1,nine')
  expect(unknown).toMatchObject({ code: 1 })
  expect(unknown.stderr).toContain('--docs: no doc of mytask has the id "nine"')
})

test('--limit-by draws docs of each value, and --reduce computes its rules or reports missing samples', async () => {
  const task = await ownTask()
  const evaluate = (...flags: string[]) => task.run(...task.line, '--json', ...flags)

  const drawn = await evaluate('--limit', '2', '--limit-by', 'kind')
  expect(countDocs(drawn.stdout)).toBe(2)
  const lines = (await task.run('report', 'last', '--answer', 'blue', '--json')).stdout
  // The docs q0, q2 and q4 are of the kind even.
  const numbers = [...lines.matchAll(/"doc_id":"q(\d)"/g)].map(([, digit]) => Number(digit))
  expect(numbers.map(number => number % 2).toSorted()).toEqual([0, 1])
  expect((await evaluate('--limit', '2', '--limit-by', 'colour')).stderr).toContain('--limit-by')

  const sampled = ['--gen-kwargs', 'temperature=1', '--repeats', '2', '--reduce']
  const reduced = await evaluate(...sampled, 'mean,pass@2')
  expect(Object.keys((JSON.parse(reduced.stdout) as Results).tasks.mytask)).toEqual(
    expect.arrayContaining(['exact_match_mean', 'exact_match_pass@2']),
  )
  const few = await evaluate(...sampled, 'pass@5')
  expect(few).toMatchObject({ code: 1 })
  expect(few.stderr).toContain('--reduce: pass@5 needs 5 samples of a doc, and 2 are requested')
  expect(few.stderr).toContain('--repeats 5')
})
