import { expect, test } from 'vitest'
import { ownTask, results } from '../support/own-task.js'

test('judge rescores after a change of scorer, filter, target or answer file, with the reason and no request', async () => {
  const task = await ownTask()
  await task.write(
    'utils.ts',
    'export const score = (doc: { answer: string }, [text]: string[]) => ({ right: text === doc.answer.toLowerCase() ? 1 : 0 })\n',
  )
  await task.edit('mytask.yaml', 'metric_list', 'process_results: !function utils.score\nmetric_list')
  await task.edit('mytask.yaml', '[{metric: exact_match, ignore_case: true}]', '[{metric: right}]')
  await task.write(
    'plain.yaml',
    'include: mytask.yaml\ntask: plain\nprocess_results: null\nmetric_list: [{metric: exact_match, ignore_case: true}]\n',
  )
  await task.edit('plain.yaml', 'process_results: null\n', '')
  await task.edit('plain.yaml', 'include: mytask.yaml\n', 'dataset_path: ./questions.jsonl\ndoc_to_visual: image\n')
  await task.edit(
    'plain.yaml',
    'metric_list',
    'doc_to_text: "{{question}}\\nAnswer with one word."\ndoc_to_target: answer\nmetric_list',
  )
  const first = await task.run(...task.line)
  expect(first.stdout).toMatch(/mytask +right +0\.667/)
  const asked = await task.requests()
  expect(asked).toBe(6)

  await task.edit('plain.yaml', 'ignore_case: true', 'ignore_case: false')
  const options = await task.run('judge', 'last')
  expect(options.stdout).toMatch(
    /scorer changed since .*plain: metric_list\[0\]\.ignore_case\): 6 docs rescored in .*, 0 asked/,
  )
  expect(options.stdout).toMatch(/plain +exact_match +0\.667 → 0\.000 +0↑ 4↓/)

  await task.edit(
    'plain.yaml',
    'metric_list',
    'filter_list: [{name: cut, filter: [{function: regex, regex_pattern: "(bl)"}]}]\nmetric_list',
  )
  expect((await task.run('judge', 'last')).stdout).toMatch(/scorer changed since .*plain: filter_list/)

  await task.edit('utils.ts', '=== doc.answer.toLowerCase()', '!== doc.answer.toLowerCase()')
  const code = await task.run('judge', 'last')
  expect(code.stdout).toMatch(/scorer changed since .*mytask\/utils\.ts/)
  expect(code.stdout).toMatch(/mytask +right +0\.667 → 0\.333 +2↑ 4↓/)

  await task.edit('questions.jsonl', '"answer":"Red"', '"answer":"Blue"')
  const file = await task.run('judge', 'last')
  expect(file.stdout).toMatch(/scorer changed since .*targets of mytask/)
  expect(file.stdout).toMatch(/mytask +right +0\.333 → 0\.000 +0↑ 2↓/)

  await task.edit('plain.yaml', 'doc_to_target: answer', `doc_to_target: '{{ "bl" }}'`)
  expect((await task.run('judge', 'last')).stdout).toMatch(/plain +exact_match,cut +0\.000 → 1\.000 +6↑ 0↓/)

  const again = await task.run('judge', 'last')
  expect(again.stdout).toMatch(/^nothing changed since .*: 0 rescored, 0 asked/)
  expect(await task.requests()).toBe(asked)

  const latest = results(await task.run('report', 'last', '--json'))
  expect(latest.run.judgement).toBe(6)
  expect(results(await task.run('report', 'last@1', '--json')).tasks['mytask']).toMatchObject({
    right: { value: 2 / 3 },
  })
  expect((await task.run('compare', 'last@1', 'last')).stdout).toMatch(/mytask +right .*0↑ 4↓/)
})

test('the same evaluation with another scorer is a new run that takes all answers from the store', async () => {
  const task = await ownTask()
  await task.run(...task.line)
  await task.edit('mytask.yaml', 'ignore_case: true', 'ignore_case: false')
  const ended = await task.run(...task.line)
  expect(ended.stdout).toMatch(/exact_match +0\.000 .*0 asked · 6 from store/s)
  expect(await task.requests()).toBe(6)
})

test('judge says so if nothing changed in a run with failed docs', async () => {
  const task = await ownTask()
  await task.write('img/3.png', 'no picture')
  expect(await task.run(...task.line)).toMatchObject({ code: 2 })
  await task.edit('mytask.yaml', 'ignore_case: true', 'ignore_case: false')
  expect((await task.run('judge', 'last')).stdout).toContain('5 docs rescored')
  const again = await task.run('judge', 'last')
  expect(again).toMatchObject({ code: 2 })
  expect(again.stdout).toMatch(/^nothing changed since /)
})
