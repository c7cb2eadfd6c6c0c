import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { HelperPrograms } from '../../../../base/processes/helper-programs.js'
import { noJudge } from '../../../../stages/judge/define/judge-model.js'
import { spice } from '../../../../stages/judge/metrics/captions/spice.js'
import { recordOf } from '../../../support/judged.js'

const folder = mkdtempSync(join(tmpdir(), 'spice-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A program in place of Java: F is 1 over the number of references; a caption without a word has none. It notes each start. */
function standIn(name: string): { readonly java: string; readonly starts: () => readonly string[][] } {
  const [java, log] = [join(folder, name), join(folder, `${name}.log`)]
  writeFileSync(log, '')
  const code = `const fs = require('node:fs'), args = process.argv.slice(2)
fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify(args) + '\\n')
const asked = JSON.parse(fs.readFileSync(args[3], 'utf8'))
const f = ({ test, refs }) => (test === '' ? null : 1 / refs.length)
fs.writeFileSync(args[5], JSON.stringify(asked.map(one => ({ image_id: one.image_id, scores: { All: { f: f(one) } } })).reverse()))`
  writeFileSync(java, `#!${process.execPath}\n${code}\n`)
  chmodSync(java, 0o755)
  return {
    java,
    starts: () =>
      readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as string[]),
  }
}

const programs = new HelperPrograms(process.env)
afterAll(() => programs.close())

const judge = (text: string, references: readonly string[], args: { readonly java: string; readonly jar: string }) =>
  spice.judge({ text, references, record: recordOf(''), bodies: [] }, spice.args.parse(args), {
    ask: noJudge,
    programs,
  })

test('concurrent captions share one process, each with its own references', async () => {
  const { java, starts } = standIn('together')
  const args = { java, jar: join(folder, 'spice-1.0.jar') }
  const verdicts = await Promise.all([
    judge('A dog runs.', ['a dog'], args),
    judge('A cat.', ['a cat', 'the cat'], args),
    judge('A cow.', ['a', 'b', 'c', 'd'], args),
  ])
  expect(verdicts).toMatchObject([{ value: 1 }, { value: 0.5 }, { value: 0.25 }])
  expect(await judge('A bird.', ['a', 'b', 'c', 'd', 'e'], args)).toMatchObject({ type: 'scored', value: 0.2 })
  expect(starts().map(given => given.filter(arg => !arg.startsWith('/')))).toEqual([
    ['-Xmx8G', '-jar', '-out', '-subset', '-silent'],
    ['-Xmx8G', '-jar', '-out', '-subset', '-silent'],
  ])
})

test('a caption without anything to compare fails only its own doc', async () => {
  const args = { java: standIn('nothing').java, jar: join(folder, 'spice-1.0.jar') }
  const [empty, other] = await Promise.allSettled([judge('', ['a'], args), judge('A dog.', ['a dog'], args)])
  expect(empty).toMatchObject({ reason: { message: expect.stringContaining('nothing to compare') as string } })
  expect(other).toMatchObject({ value: { value: 1 } })
})

test('names the missing jar or Java, or the error of Java', async () => {
  expect(() => spice.args.parse({})).toThrow('SPICE runs in Java: give the path of spice-1.0.jar')
  const jar = join(folder, 'gone.jar')
  await expect(judge('A dog.', ['a dog'], { java: join(folder, 'no-java'), jar })).rejects.toThrow('no-java')
  const java = join(folder, 'complains')
  writeFileSync(java, '#!/bin/sh\necho "Unable to access jarfile" >&2\nexit 1\n')
  chmodSync(java, 0o755)
  await expect(judge('A dog.', ['a dog'], { java, jar })).rejects.toThrow('it ended with 1. Unable to access jarfile')
})
