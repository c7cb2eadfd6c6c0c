/** Runs the built program on a terminal, as a person types. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'vitest'
import { bin } from './cli.js'

/** `script` of util-linux gives a program a terminal. */
function isScriptHere(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
}

/** Why tests on a terminal are skipped, as a part of their titles. Empty if they run. */
export const noTerminal = isScriptHere() ? '' : ' (skipped: script of util-linux is not installed)'

/** A text that is awaited, and what is typed then, or how that follows from what stands on the terminal. */
type Step = readonly [awaited: string, typed: string | ((shown: string) => Promise<string>)]

/** Types a line, with Enter, whenever the next awaited text is shown. @returns what stood on the terminal */
export async function typeAt(
  command: string,
  steps: readonly Step[],
  { folder, TERM = 'dumb' }: { readonly folder: string; readonly TERM?: string },
): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: folder, TERM, NO_COLOR: '1' }
  const line = `'${process.execPath}' '${bin}' ${command}`
  const child = spawn('script', ['-qefc', line, '/dev/null'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] })
  let [shown, at] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
  const ended = once(child, 'close')
  for (const [awaited, typed] of steps) {
    await expect.poll(() => shown.indexOf(awaited, at), { timeout: 60_000 }).toBeGreaterThanOrEqual(0)
    at = shown.indexOf(awaited, at) + awaited.length
    child.stdin.write(`${typeof typed === 'string' ? typed : await typed(shown)}\n`)
  }
  await ended
  return shown.replaceAll('\r', '')
}
