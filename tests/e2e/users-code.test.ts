import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCli, startCli, type Started } from '../support/cli.js'
import { temporaryFolder } from '../support/store.js'

/** A doc whose text makes any code that reads it run for ever. */
const endless = `${'a'.repeat(60)}b`
const texts = ['first', endless, 'third']

const head = `task: mine
dataset_path: ./docs.jsonl
doc_to_target: text
output_type: generate_until
`
const asText = 'doc_to_text: "{{text}}"\n'
const exactMatch = 'metric_list: [{metric: exact_match}]\n'

/** Prints when it starts. */
const loop = `if (doc.text === '${endless}') { begin(); for (;;); }`
const code = {
  utils: `import { writeFileSync } from 'node:fs'
const begin = () => writeFileSync('begun', '')
export const note = (texts: any) => { if (texts[0] === '${endless}') begin(); return texts }
export const text = (doc: any) => { ${loop} return doc.text }
export const score = (doc: any, [said]: any) => { ${loop} return { mine: said === doc.text ? 1 : 0 } }
export const later = async (doc: any, [said]: any) => { await null; ${loop} return { mine: said === doc.text ? 1 : 0 } }
export const leave = (doc: any) => { if (doc.text === '${endless}') process.exit(0); return doc.text }
export const chatty = (doc: any) => { console.log('said by a task', doc.text); return doc.text }
`,
}

const functions = (name: string): string =>
  `${asText}process_results: !function utils.${name}\nmetric_list: [{metric: mine}]\n`
const bodies = {
  'a filter that backtracks': `${asText}filter_list: [{name: strict, filter: [{function: regex, regex_pattern: '^(a+)+$', fallback: none}]}]\n${exactMatch}`,
  'an ignored pattern that backtracks': `${asText}metric_list: [{metric: exact_match, regexes_to_ignore: ['^(a+)+$']}]\n`,
  'a function that scores': functions('score'),
  'a function that asks': `doc_to_text: !function utils.text\n${exactMatch}`,
  'a template': `doc_to_text: "{{text}}{% if text|length > 10 %}{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}{% endif %}"\n${exactMatch}`,
  'a pattern of a template': `doc_to_text: "{{ text | regex_replace('^(a+)+$', '') }}"\n${exactMatch}`,
}

const noted = bodies['a filter that backtracks'].replace('filter: [{', 'filter: [{function: !function utils.note}, {')

interface Mine {
  readonly folder: string
  readonly line: readonly string[]
}

async function mine(body: string): Promise<Mine> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'mine'))
  await writeFile(join(folder, 'mine/mine.yaml'), head + body)
  await writeFile(join(folder, 'mine/utils.ts'), code.utils)
  await writeFile(join(folder, 'mine/docs.jsonl'), texts.map(text => JSON.stringify({ text })).join('\n'))
  return { folder, line: ['eval', '--model', 'dummy', '--tasks', './mine', '--store', 'store'] }
}

interface Blocked extends Started {
  readonly folder: string
}

async function started(body: string): Promise<Blocked> {
  const { folder, line } = await mine(body)
  const run = startCli(line, { cwd: folder, env: { PIPELINE_CODE_TIMEOUT: '3600' } })
  onTestFinished(() => void run.child.kill('SIGKILL'))
  return { ...run, folder }
}

describe('code of a task that never ends', () => {
  test.each([
    [
      'a filter that backtracks',
      3,
      'filter regex of "strict" {"regex_pattern":"^(a+)+$","fallback":"none"} did not end within 0.3 s',
    ],
    [
      'an ignored pattern that backtracks',
      3,
      'metric exact_match {"regexes_to_ignore":["^(a+)+$"]} did not end within 0.3 s',
    ],
    ['a function that scores', 3, 'utils.score did not end within 0.3 s'],
    ['a function that asks', 2, 'utils.text did not end within 0.3 s'],
    ['a template', 2, 'the template does more than 10 million steps'],
    ['a pattern of a template', 2, 'regex_replace("^(a+)+$") did not end within 0.3 s'],
  ] as const)('fails only its doc: %s', async (name, exitCode, reason) => {
    const { folder, line } = await mine(bodies[name])
    const ended = await runCli([...line, '--json'], { cwd: folder, env: { PIPELINE_CODE_TIMEOUT: '0.3' } })
    expect(ended).toMatchObject({ code: exitCode, signal: null })
    expect(ended.stderr).toContain(reason)
    const results = JSON.parse(ended.stdout) as { tasks: { mine: Record<string, { n: number }> } }
    expect(Object.values(results.tasks.mine)).toMatchObject([{ n: 2 }])
  })

  test.each([
    ['a filter that backtracks', noted, 'filter regex of "strict"'],
    ['an async function that scores', functions('later'), 'code of a task or plugin'],
  ])('is reported at the first Ctrl-C, and ended by the second: %s', async (_name, body, place) => {
    const run = await started(body)
    await untilBlocked(run)
    if (!threadsGetSignals) return endsAtOnce(run, 'SIGINT')
    run.child.kill('SIGINT')
    await untilTold(run, 'Ctrl-C again ends it now')
    expect(run.told()).toContain(`heard Ctrl-C, but ${place}`)
    run.child.kill('SIGINT')
    expect(await run.ended).toMatchObject({ signal: 'SIGINT' })
  })

  test('is ended by SIGTERM, and named', async () => {
    const run = await started(bodies['a function that asks'])
    await untilBlocked(run)
    if (!threadsGetSignals) return endsAtOnce(run, 'SIGTERM')
    run.child.kill('SIGTERM')
    const ended = await run.ended
    expect(ended).toMatchObject({ signal: 'SIGTERM' })
    expect(ended.stderr).toContain('ended by SIGTERM in utils.text (task mine, doc 1)')
  })
})

/** From Node 24 on, no thread can receive signals. It says after a second that the next signal ends the program. */
const threadsGetSignals = Number(process.versions.node.split('.')[0]) < 24

async function endsAtOnce(run: Blocked, signal: NodeJS.Signals): Promise<void> {
  // Its streams are no terminal.
  await untilTold(run, `SIGTERM ends process ${String(run.child.pid)} at once`)
  run.child.kill(signal)
  expect(await run.ended).toMatchObject({ signal })
}

const isRunning = ({ exitCode, signalCode }: Started['child']): boolean => exitCode === null && signalCode === null

async function untilBlocked({ child, folder }: Blocked): Promise<void> {
  while (!existsSync(join(folder, 'begun')) && isRunning(child)) await sleep(5)
}

async function untilTold({ child, told }: Started, text: string): Promise<void> {
  while (!told().includes(text) && isRunning(child)) await sleep(5)
}

test('process.exit in a function fails only its doc, and never ends the run', async () => {
  const { folder, line } = await mine(`doc_to_text: !function utils.leave\n${exactMatch}`)
  const ended = await runCli(line, { cwd: folder })
  expect(ended).toMatchObject({ code: 2 })
  expect(ended.stderr).toContain('process.exit(0) was called')
  expect(ended.stderr).toMatch(/utils\.ts:\d+:\d+/)
})

test.each([
  ['process.exit(0)', 1, 'process.exit(0) was called'],
  ['await new Promise(() => undefined)', 1, 'the program ended before its command did'],
])('a plugin whose file calls %s does not cause exit code 0', async (statement, exitCode, reason) => {
  const { folder, line } = await mine(asText + exactMatch)
  await writeFile(join(folder, 'plugin.ts'), `${statement}\nexport const nothing = 1\n`)
  const ended = await runCli([...line, '--plugin', './plugin.ts'], { cwd: folder })
  expect(ended).toMatchObject({ code: exitCode, stdout: '' })
  expect(ended.stderr).toContain(reason)
})

test("console output of users' code goes to standard error", async () => {
  const { folder, line } = await mine(`doc_to_text: !function utils.chatty\n${exactMatch}`)
  const ended = await runCli([...line, '--json'], { cwd: folder })
  expect(ended.code).toBe(0)
  expect(() => JSON.parse(ended.stdout) as unknown).not.toThrow()
  expect(ended.stderr).toContain('said by a task first')
})
