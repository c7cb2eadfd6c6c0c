import { generateKeyPairSync } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { live } from '../support/crash.js'
import { startLlamaServer, waitUntilHealthy } from '../support/llama-server.js'
import { results } from '../support/own-task.js'
import { lookInto } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'

const real = inject('llamaCpp')
const missing = 'missing' in real ? real.missing : undefined

const questions = [
  ['What is the capital of France?', 'Paris'],
  ['Which animal barks?', 'dog'],
  ['What do bees make?', 'honey'],
  ['What is frozen water called?', 'ice'],
  ['How many days has a week?', 'seven'],
  ['Which planet do we live on?', 'Earth'],
]

const yaml = `task: graded
dataset_path: ./questions.jsonl
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answer}}"
generation_kwargs: {max_gen_toks: 12, until: ["\\n"]}
metric_list:
  - metric: model_graded
    name: right
    kind: form
    field: right
    structured: true
    # A model this small gets the questions with known answers wrong.
    canaries: 0
    max_tokens: 24
    prompt: "{question} {answer} The right answer is {reference}. Is it right: 1 or 0? {schema}"
    schema: {type: object, properties: {right: {type: integer, enum: [0, 1]}}, required: [right], additionalProperties: false}
`

/** A task that the model answers and judges itself, and the line that evaluates it. */
async function gradedBySmallModel() {
  if ('missing' in real) throw new Error(real.missing)
  const running = await startLlamaServer({ ...real, context: 1024 })
  onTestFinished(running.stop)
  await waitUntilHealthy(running)
  const folder = await temporaryFolder()
  const docs = questions.map(([question, answer], id) => JSON.stringify({ id: String(id), question, answer }))
  await writeFile(join(folder, 'questions.jsonl'), docs.join('\n'))
  await writeFile(join(folder, 'graded.yaml'), yaml)
  const store = join(folder, 'store')
  const model = `model=smol,base_url=${running.url}`
  const judge = ['--judge-model', 'llama_cpp', '--judge-args', model]
  return {
    folder,
    store,
    judge,
    line: [
      ...['eval', '--tasks', join(folder, 'graded.yaml'), '--store', store, '--json'],
      ...['--model', 'llama_cpp', '--model-args', model, ...judge],
    ],
  }
}

const title = 'a run that a real local model judges goes through kill, resume, calibration, gates and a signed bundle'

test.skipIf(missing !== undefined)(missing === undefined ? title : `${title}, which needs ${missing}`, async () => {
  const { folder, store, judge, line } = await gradedBySmallModel()
  const killed = await live(line, {
    name: 'a few replies of the judge',
    watch: () => () => lookInto(store).responses >= questions.length + 2,
    delayMs: 0,
  })
  expect(killed.wasKilled).toBe(true)
  const before = lookInto(store).responses
  const resumed = await runCli(line)
  expect(resumed.code).toBe(0)
  expect(resumed.stderr).toContain('is the model that it judges')
  expect(lookInto(store).responses).toBe(2 * questions.length)
  // At most the one call in flight was asked again.
  expect(before).toBeGreaterThanOrEqual(questions.length + 2)
  const scored = results(resumed).tasks['graded']
  expect(scored).toMatchObject({ right: { n: 6 } })

  const again = await runCli(['judge', 'last', '--store', store, ...judge])
  expect(again.code).toBe(0)
  expect(again.stdout + again.stderr).not.toMatch(/[1-9]\d* asked/)

  const labels = ['doc_id,label', ...questions.map((_, id) => `${id},${id % 2 === 0 ? 'right' : 'wrong'}`)]
  await writeFile(join(folder, 'labels.csv'), labels.join('\n'))
  const calibrated = await runCli([
    ...['labels', 'calibrate', 'last', '--store', store],
    ...['--labels', join(folder, 'labels.csv'), '--json'],
  ])
  expect(calibrated.code).toBe(0)
  expect(JSON.parse(calibrated.stdout)).toMatchObject({ tasks: [{ docs: 6, labelled: 6 }] })

  for (const [gate, code] of [
    ['graded.right >= 0', 0],
    ['graded.right >= 1.1', 4],
  ] as const)
    expect((await runCli(['judge', 'last', '--store', store, ...judge, '--gate', gate])).code, gate).toBe(code)

  const { privateKey } = generateKeyPairSync('ed25519')
  await writeFile(join(folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const bundle = join(folder, 'run.pipeline')
  const signing = ['export', 'last', '--store', store, '--output', bundle, '--sign', join(folder, 'key.pem')]
  expect(await runCli(signing)).toMatchObject({ code: 0 })
  expect(await runCli(['verify', bundle])).toMatchObject({ code: 0 })
  const bytes = await readFile(bundle)
  bytes[bytes.length >> 1]! ^= 1
  await writeFile(bundle, bytes)
  expect((await runCli(['verify', bundle])).code).not.toBe(0)
})
