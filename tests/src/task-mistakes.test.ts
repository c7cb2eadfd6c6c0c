import { expect, test } from 'vitest'
import { PipelineError } from '../../base/errors/errors.js'
import { scoringProblems } from '../../src/evaluation/tasks/compile-scorer.js'
import { loadTask } from '../../stages/input/tasks/load-task.js'
import { temporaryFolder } from '../stages/input/temp-folder.js'

const folder = temporaryFolder()

test('reports mistakes in keys, kwargs, templates, metrics and filters of one file together', async () => {
  const yaml = `task: bad
dataset_path: ./data
test_split: test
doc_to_txt: q
doc_to_target: "{{ans"
generation_kwargs: {max_tokns: 3}
repeats: often
metric_list:
  - metric: exact_mach
  - metric: exact_match
    ignore_cse: true
filter_list:
  - name: x
    filter: [{function: regexp}]
`
  const cacheDir = folder.path('cache')
  const loading = loadTask(await folder.write('bad.yaml', yaml), {
    cacheDir,
    checkScoring: scoringProblems({ cacheDir, exported: [] }),
  })
  const problems = await loading.then(
    () => [],
    (error: unknown) => (error instanceof PipelineError ? error.problems : [String(error)]),
  )
  expect(problems.map(problem => problem.replace(/^.*bad\.yaml:/, ''))).toEqual([
    '4:1  doc_to_txt: no such key. Did you mean "doc_to_text"?',
    expect.stringMatching(/^5:16 {2}doc_to_target: /),
    '6:32  generation_kwargs.max_tokns: no such argument. Did you mean "max_tokens"?',
    '7:10  repeats: expected a whole number from 1, given the text "often"',
    '9:13  metric_list[0].metric: no metric "exact_mach". Did you mean "exact_match"?',
    '11:17  metric_list[1].ignore_cse: exact_match has no argument "ignore_cse". Did you mean "ignore_case"?',
    '14:25  filter_list[0].filter[0].function: no filter "regexp". Did you mean "regex"?',
  ])
})

test('checks the names of keys even if a value beside them has a wrong form', async () => {
  const yaml = `task: bad
dataset_path: ./data
test_split: test
doc_to_txt: q
doc_to_target: a
metric_list:
  - {metric: bleu, tokenise: char}
  - {metric: exact_match, higher_is_better: maybe}
  - {metric: ter, hf_evaluate: true, ignore_punc: true}
  - {metric: exact_match, name: sum_of_it, aggregation: sum}
filter_list:
  - {name: low, filter: [{function: lowercase}]}
`
  const cacheDir = folder.path('cache')
  const options = { cacheDir, checkScoring: scoringProblems({ cacheDir, exported: [] }) }
  const error: unknown = await loadTask(await folder.write('beside.yaml', yaml), options).catch(
    (thrown: unknown) => thrown,
  )
  const problems = error instanceof PipelineError ? error.problems : [String(error)]
  expect(problems.map(problem => problem.replace(/^.*beside\.yaml:/, ''))).toEqual([
    '4:1  doc_to_txt: no such key. Did you mean "doc_to_text"?',
    expect.stringMatching(/^7:.* bleu has no argument "tokenise"\. Did you mean "tokenize"\?$/),
    '8:45  metric_list[1].higher_is_better: expected true or false, given the text "maybe"',
    expect.stringMatching(/^9:.* ter has no argument "ignore_punc"\./),
  ])
})
