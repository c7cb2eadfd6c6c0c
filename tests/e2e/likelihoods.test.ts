import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { results } from '../support/own-task.js'
import { temporaryFolder } from '../support/store.js'

const docs = Array.from({ length: 6 }, (_, index) => ({
  question: `What colour is thing ${index}?`,
  colours: ['red', 'blue', 'dark green'],
  answer: index < 4 ? 1 : 0,
}))

const choose = `task: choose
dataset_path: ./questions.jsonl
output_type: multiple_choice
doc_to_text: "{{question}}\\nAnswer:"
doc_to_choice: colours
doc_to_target: answer
metric_list: [{metric: acc}, {metric: acc_norm}]
`
const better = `task: better
dataset_path: ./questions.jsonl
output_type: multiple_choice
doc_to_text: ""
doc_to_choice: "{{['Thing one is blue', 'Thing one is heptagonal']}}"
doc_to_target: 0
metric_list: [{metric: acc}]
`
const say = `task: say
dataset_path: ./questions.jsonl
doc_to_text: "{{question}}"
doc_to_target: "{{colours[answer]}}"
generation_kwargs: {max_new_tokens: 8}
metric_list: [{metric: exact_match}]
`
const perplexity = `task: whole
dataset_path: ./questions.jsonl
output_type: loglikelihood_rolling
doc_to_target: question
metric_list: [{metric: word_perplexity}]
`

/** Three tasks over the same six questions, and a server that finds `blue` likelier than any other word. */
async function asked(kind: string) {
  const folder = await temporaryFolder()
  const server = await spawnFakeOpenai(['--completions', kind, '--likes', 'blue', '--text', 'blue'])
  onTestFinished(() => server.stop())
  await mkdir(join(folder, 'tasks'))
  await writeFile(join(folder, 'tasks/questions.jsonl'), docs.map(doc => JSON.stringify(doc)).join('\n'))
  const seen = {
    ...{ choose, better, say, whole: perplexity },
    pictures: `${choose.replace('choose', 'pictures')}doc_to_visual: picture\n`,
  }
  for (const [name, text] of Object.entries(seen)) await writeFile(join(folder, `tasks/${name}.yaml`), text)
  const runWith = (model: string, args: string, tasks: string, ...more: string[]) =>
    runCli(
      ['eval', '--include-path', 'tasks', '--tasks', tasks, '--model', model].concat(
        ['--model-args', `model=m,base_url=${server.url}${args}`],
        more,
      ),
      { cwd: folder },
    )
  const run = (tasks: string, ...more: string[]) => runWith('openai', '', tasks, ...more)
  return { folder, run, runWith, requests: async () => (await server.stats()).requests }
}

test.each(['echo', 'echo-bos', 'prompt_logprobs'])('scores multiple choice with a server that has %s', async kind => {
  const { run, requests, folder } = await asked(kind)
  const ended = await run('choose', '--json')
  expect(ended).toMatchObject({ code: 0 })
  expect(results(ended).tasks).toMatchObject({ choose: { acc: { value: 4 / 6, n: 6 } } })
  const probes = kind === 'prompt_logprobs' ? 2 : 1
  expect(await requests()).toBe(probes + 18)
  expect((await run('choose')).stdout).toContain('0 asked · 18 from store')
  expect(await requests()).toBe(probes + 18)
  expect(await runCli(['cache', 'verify'], { cwd: folder })).toMatchObject({ code: 0 })
  expect(await runCli(['export', 'last', '-o', 'run.bundle'], { cwd: folder })).toMatchObject({ code: 0 })
})

test('answers to chats are the same whether or not likelihoods are requested, too', async () => {
  const { run, requests } = await asked('echo')
  expect(await run('say')).toMatchObject({ code: 0 })
  expect(await requests()).toBe(6)
  expect((await run('say,choose')).stdout).toContain('· 6 from store')
  expect(await requests()).toBe(6 + 1 + 18)
})

test('scores the likelihood of a text without a context', async () => {
  const { run } = await asked('echo-bos')
  const ended = await run('whole', '--json')
  expect(ended).toMatchObject({ code: 0 })
  // Five words a text, each of which has a log-probability of -2.
  expect(results(ended).tasks['whole']?.['word_perplexity']?.value).toBeCloseTo(Math.exp(2), 10)
})

test('scores choices after an empty question if a token precedes them, or else rejects them at the probe', async () => {
  const { run, runWith, requests } = await asked('echo')
  const refused = await run('better')
  expect(refused).toMatchObject({ code: 1 })
  expect(refused.stderr).toMatch(/can't score a text that nothing precedes.*Give prefix_text=/s)
  expect(refused.stdout).not.toContain('0 asked')
  expect(await requests()).toBe(1)
  for (const model of ['openai', 'local-completions']) {
    const ended = await runWith(model, ',prefix_text=<s>', 'better', '--json')
    expect(ended).toMatchObject({ code: 0 })
    expect(results(ended).tasks).toMatchObject({ better: { acc: { value: 1, n: 6 } } })
  }
  expect(await (await asked('echo-bos')).run('better')).toMatchObject({ code: 0 })
})

test('does not print "0 asked" for requests that all failed', async () => {
  const { run } = await asked('echo')
  const ended = await run('say', '--gen-kwargs', 'num_beams=2')
  expect(ended).toMatchObject({ code: 2 })
  expect(ended.stdout).toContain('6 asked, none answered')
  expect(ended.stdout).not.toContain('0 asked')
})

test('rejects a server that ignores echo before anything counts as answered or failed', async () => {
  const { run, requests, folder } = await asked('ignores-echo')
  const ended = await run('choose')
  expect(ended).toMatchObject({ code: 1 })
  expect(ended.stderr).toMatch(/gives no log-probabilities of prompts.*ignores `echo`.*vLLM/s)
  expect(await requests()).toBe(2)
  expect((await runCli(['runs', 'show', 'last', '--json'], { cwd: folder })).stdout).not.toMatch(
    /invalid_request|"server"/,
  )
  expect(await run('say')).toMatchObject({ code: 0 })
})

test('rejects pictures before any request', async () => {
  const { run, requests } = await asked('echo')
  const ended = await run('pictures')
  expect(ended).toMatchObject({ code: 1 })
  expect(ended.stderr).toContain(
    'task pictures shows image and needs loglikelihood, for which model openai takes only text',
  )
  expect(await requests()).toBe(0)
})
