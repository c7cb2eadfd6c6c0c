import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { bin, root } from './cli.js'

/** The folder of cases. Each has a script `run.sh`, its data, and `expected.txt`. */
export const casesFolder = join(root, 'tests/cases')

/** What `expected.txt` demands of the output of `run.sh`. */
export interface Expectation {
  readonly exitCode?: number
  /** Texts that lines of the output contain, in this order. */
  readonly texts: readonly string[]
  /** Texts that no line contains. */
  readonly absent: readonly string[]
}

/** What a script printed, on both streams, and its exit code. */
export interface CaseOutcome {
  readonly output: string
  readonly exitCode: number | null
}

/** A case by its name, which is its folder's. */
export interface Case {
  readonly name: string
  /** Programs that its script needs and this machine lacks. A line `# needs: ffmpeg psql` of the script names what it needs. */
  readonly missing: readonly string[]
}

/** Lists the cases: folders with a `run.sh`. */
export async function listCases(): Promise<readonly Case[]> {
  const entries = await readdir(casesFolder, { withFileTypes: true })
  const names = entries.filter(entry => entry.isDirectory() && entry.name !== 'lib').map(entry => entry.name)
  return Promise.all(
    names.map(async name => {
      const script = await readFile(join(casesFolder, name, 'run.sh'), 'utf8')
      const needs = /^# needs: (.+)$/m.exec(script)?.[1]?.split(/\s+/) ?? []
      return { name, missing: needs.filter(program => !isInstalled(program)) }
    }),
  )
}

const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some(folder => existsSync(join(folder, program)))

/**
 * Reads `expected.txt`. Its first line may be `exit N`, the exit code. A line that begins with `! ` names a text that must not occur. Each other line
 * is a text that a line of the output contains, behind the line that contains the text before.
 */
export function parseExpectation(text: string): Expectation {
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const exit = /^exit (\d+)$/.exec(lines[0] ?? '')
  const rules = exit === null ? lines : lines.slice(1)
  return {
    ...(exit !== null && { exitCode: Number(exit[1]) }),
    texts: rules.filter(rule => !rule.startsWith('! ')),
    absent: rules.filter(rule => rule.startsWith('! ')).map(rule => rule.slice(2)),
  }
}

/** Compares an outcome with what is expected. @returns one sentence for each difference */
export function findDifferences(expected: Expectation, { output, exitCode }: CaseOutcome): readonly string[] {
  const lines = output.split('\n')
  const differences: string[] = []
  if (expected.exitCode !== undefined && exitCode !== expected.exitCode)
    differences.push(`The exit code is ${String(exitCode)}, not ${expected.exitCode}.`)
  let next = 0
  for (const text of expected.texts) {
    const at = lines.findIndex((line, index) => index >= next && line.includes(text))
    if (at < 0) differences.push(`No line from line ${next + 1} on contains: ${text}`)
    else next = at + 1
  }
  for (const text of expected.absent) if (output.includes(text)) differences.push(`The output contains: ${text}`)
  return differences
}

/** Runs a case with the built program, in a temporary folder of its own for what the script makes. */
export async function runCase(name: string): Promise<{ expected: Expectation; outcome: CaseOutcome }> {
  const folder = join(casesFolder, name)
  const expected = parseExpectation(await readFile(join(folder, 'expected.txt'), 'utf8'))
  const temporary = await mkdtemp(join(tmpdir(), 'pipeline-case-'))
  try {
    return { expected, outcome: await runScript(join(folder, 'run.sh'), temporary) }
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function runScript(script: string, temporary: string): Promise<CaseOutcome> {
  const env = {
    PATH: process.env['PATH'],
    NO_COLOR: '1',
    PIPELINE: `${process.execPath} ${bin}`,
    CHECKOUT: root,
    TMPDIR: temporary,
    HOME: temporary,
  }
  // One stream for both, so that their lines keep their order.
  const child = spawn('bash', ['-c', 'exec bash "$0" 2>&1', script], {
    cwd: temporary,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pieces: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return { output: Buffer.concat(pieces).toString('utf8'), exitCode }
}
