import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { llamaCpp } from '../../stages/model/backends/llama-cpp.js'
import { openaiCompletions } from '../../stages/model/backends/openai-completions.js'
import { promptScores } from '../../stages/model/backends/openai/completions/completion-answer.js'
import { askBackend } from '../support/backend-client.js'
import { runCli } from '../support/cli.js'
import { startLlamaServer, waitUntilHealthy, type LlamaServer } from '../support/llama-server.js'
import { picture } from '../support/own-task.js'
import { committedAnswers } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

const real = inject('llamaCpp')
const missing = 'missing' in real ? real.missing : undefined
const { server, model } = 'missing' in real ? { server: '', model: '' } : real
const name = "llama.cpp's own server"

const choose = `task: choose
dataset_path: ./questions.jsonl
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: ["yes", "no"]
doc_to_target: answer
metric_list: [{metric: acc}]
`

async function statusOf(url: string): Promise<number | undefined> {
  return (await fetch(url).catch(() => undefined))?.status
}

const post = async (url: string, body: object): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  return { status: answer.status, body: await answer.json() }
}

/** The one field of interest of an unknown body. */
const choiceOf = (body: unknown) => (body as { choices: readonly Record<string, unknown>[] }).choices[0]

describe.skipIf(missing !== undefined)(missing === undefined ? name : `${name}, which needs ${missing}`, () => {
  let running: LlamaServer
  beforeAll(async () => {
    running = await startLlamaServer({ server, model })
    await waitUntilHealthy(running)
  })
  afterAll(() => running.stop())

  const ask = (args: Record<string, unknown> = {}) =>
    askBackend(llamaCpp, { model: 'smol', base_url: running.url, ...args })

  test('is started for a run, answers, and is gone at the end; its identity is the digest of its files', async () => {
    const folder = await temporaryFolder()
    const task = await writeTextTask(join(folder, 'task'), 4)
    const store = join(folder, 'store')
    const evaluate = (path: string, more = '') =>
      runCli([
        ...['eval', '--tasks', task, '--store', store, '--model', 'llama_cpp', '--model-args'],
        `model=${path},executable=${server},ctx_size=256,threads=1,parallel=2${more}`,
      ])
    const ended = await evaluate(model)
    expect(ended).toMatchObject({ code: 0 })
    const answers = [...committedAnswers(store).values()]
    expect(answers).toHaveLength(4)
    expect(answers.filter(text => text.trim() === '')).toEqual([])
    const [, log = ''] = /its log is (\S+)/.exec(ended.stderr) ?? []
    const [, address = ''] = /listening on (http:\S+)/.exec(await readFile(log, 'utf8')) ?? []
    expect(address).not.toBe('')
    expect(await statusOf(`${address}/health`)).toBeUndefined()
    const elsewhere = join(folder, 'renamed.gguf')
    await copyFile(model, elsewhere)
    const again = await evaluate(elsewhere, ',startup_timeout=60')
    expect(again).toMatchObject({ code: 0 })
    expect(again.stderr).not.toContain('starting llama_cpp')
  })

  test('is awaited while it loads if somebody else started it', async () => {
    const folder = await temporaryFolder()
    const task = await writeTextTask(join(folder, 'task'), 2)
    const { url, stop } = await startLlamaServer({ server, model })
    onTestFinished(stop)
    const seen = new Set<number | undefined>()
    const watching = (async () => {
      for (let status; status !== 200; seen.add(status)) status = await statusOf(url.replace('/v1', '/health'))
    })()
    const line = ['eval', '--tasks', task, '--store', join(folder, 'store'), '--model', 'llama_cpp']
    const ended = await runCli([...line, '--model-args', `model=smol,base_url=${url}`])
    await watching
    expect(seen).toContain(503)
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.stdout).toContain('failed 0')
  })

  test('gives equal answers to equal questions, with the usage', async () => {
    const { ask: answer } = await ask()
    const first = await answer('What is the capital of France?', { max_new_tokens: 8 })
    const second = await answer('What is the capital of France?', { max_new_tokens: 8 })
    expect(first.body.text).not.toBe('')
    expect(second.body).toEqual(first.body)
    expect(first.usage?.outputTokens).toBe(8)
    expect(first.usage?.inputTokens).toBeGreaterThan(8)
  })

  test.each([false, true])('continues a text up to a stop sequence (stream=%s)', async stream => {
    const { ask: answer } = await askBackend(openaiCompletions, { model: 'smol', base_url: running.url, stream })
    const examples = 'Q: What is the capital of Italy?\nA: Rome\n\nQ: What is the capital of Spain?\nA: Madrid\n\n'
    const { body, usage } = await answer(`${examples}Q: What is the capital of France?\nA:`, { until: ['\n\n'] })
    expect(body).toMatchObject({ text: ' Paris', finishReason: 'stop' })
    expect(usage?.inputTokens).toBeGreaterThan(30)
  })

  test('ignores `echo` without an error, so that log-likelihoods are rejected with the reason', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'questions.jsonl'), '{"question":"Is the sky blue?","answer":0}')
    await writeFile(join(folder, 'choose.yaml'), choose)
    const line = ['eval', '--tasks', join(folder, 'choose.yaml'), '--store', join(folder, 'store')]
    const ended = await runCli([...line, '--model', 'llama_cpp', '--model-args', `model=smol,base_url=${running.url}`])
    expect(ended).toMatchObject({ code: 1 })
    expect(ended.stderr).toContain('gives no log-probabilities of prompts')
    expect(ended.stderr).toContain('it ignores `echo`')
  })

  test('returns log-probabilities in the form of chats, which are not mistaken for those of a prompt', async () => {
    const prompt = 'The sky is'
    const { status, body } = await post(`${running.url}/completions`, {
      prompt,
      echo: true,
      logprobs: 1,
      max_tokens: 2,
    })
    expect(status).toBe(200)
    expect(choiceOf(body)).toMatchObject({ logprobs: { content: [{ logprob: expect.any(Number) as number }, {}] } })
    expect(promptScores(body, prompt, 'echo')).toHaveProperty('problem')
  })

  test('ignores `tool_choice: required` and answers with a text', async () => {
    const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } }]
    const { ask: answer } = await ask({ extra_body: { tools, tool_choice: 'required' } })
    const { body } = await answer('Hello', { max_new_tokens: 8 })
    expect(body.toolCalls).toBeUndefined()
    expect(body.text).not.toBe('')
  })

  test('answers an image with status 500, which is not retried', async () => {
    const { failure, addMedium } = await ask()
    const failed = await failure([
      { type: 'text', text: 'What is it?' },
      { type: 'image', media: await addMedium(await picture(10)) },
    ])
    expect(failed).toMatchObject({ class: 'invalid_request', isRetryable: false })
    expect(failed.message).toContain('500 image input is not supported')
  })

  test('answers `n: 2` with status 400 if it computes one request at a time', async () => {
    const { failure } = await ask()
    expect(await failure('Hello', { n: 2, max_new_tokens: 2 })).toMatchObject({ class: 'invalid_request' })
  })

  test('enforces a schema in extra_body', async () => {
    const schema = {
      type: 'object',
      properties: { colour: { enum: ['red', 'blue'] } },
      required: ['colour'],
      additionalProperties: false,
    }
    const { ask: answer } = await ask({
      extra_body: { response_format: { type: 'json_schema', json_schema: { name: 'colour', schema } } },
    })
    const { body } = await answer('Tell me a story of a bear.', { max_new_tokens: 40 })
    expect(['red', 'blue']).toContain((JSON.parse(body.text) as { colour: string }).colour)
  })
})
