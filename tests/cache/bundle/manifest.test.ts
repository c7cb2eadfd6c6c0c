import { expect, test } from 'vitest'
import { makeManifest, manifestText, parseManifest } from '../../../cache/bundle/manifest.js'
import { runKey } from '../../../cache/keys.js'
import { portableRun } from '../../support/portable-runs.js'

const digest = `sha256:${'0'.repeat(64)}`
const manifest = makeManifest(portableRun({ docs: 2, judgedAt: [3000] }), [
  { name: 'inputs.parquet', digest, bytes: 10, rows: 2 },
])
const text = manifestText(manifest)

test('parses a manifest as it was written', () => {
  expect(parseManifest(text)).toEqual(manifest)
})

test('rejects one extra blank', () => {
  expect(() => parseManifest(text.replace('": ', '":  '))).toThrow('not byte for byte')
})

test('rejects a change of any other byte, with a message of one line', () => {
  for (let at = 0; at < text.length; at += 1) {
    const other = text.charAt(at) === '1' ? '2' : '1'
    const parse = () => parseManifest(text.slice(0, at) + other + text.slice(at + 1))
    expect(parse).toThrow(RangeError)
    expect(parse).toThrow(/^[^\n]+$/)
  }
})

test('refuses a newer format and says what to do, even if its content is unknown', () => {
  const newer = JSON.stringify({ format: 'pipeline-run', version: 5, surprise: true })
  expect(() => parseManifest(newer)).toThrow('format version 5, and this program reads up to 4')
})

test('a manifest of many tasks stores shared code once, and one of few tasks keeps the older format', () => {
  const { asked, judgements, ...run } = portableRun({ docs: 2, judgedAt: [3000] })
  const withTasks = (count: number) =>
    makeManifest(
      {
        ...run,
        asked: {
          ...asked,
          tasks: Array.from({ length: count }, (_, task) => ({ ...asked.tasks[0]!, name: `t${task}` })),
        },
        judgements: judgements.map(judgement => ({
          ...judgement,
          tasks: Array.from({ length: count }, () => structuredClone(judgement.tasks[0]!)),
        })),
      },
      [],
    )
  const described = (count: number): number => manifestText(withTasks(count)).split('"scorer": {').length - 1
  expect([described(32), withTasks(32).version]).toEqual([32, 1])
  expect([described(33), withTasks(33).version]).toEqual([1, 4])
  const many = withTasks(33)
  const named = { ...many, run: { ...many.run, id: runKey(many.run.asked).key } }
  expect(parseManifest(manifestText(named))).toEqual(named)
  expect(() => parseManifest(manifestText(named).replace('"scorer": 0', '"scorer": 1'))).toThrow(RangeError)
})

test('rejects a part whose name points outside the bundle', () => {
  const evil = manifestText({ ...manifest, parts: [{ name: '../evil.parquet', digest, bytes: 1, rows: 1 }] })
  expect(() => parseManifest(evil)).toThrow(RangeError)
})

test('rejects a run under the id of another run', () => {
  const other = portableRun({ docs: 2, seed: 1 })
  const swapped = manifestText({ ...manifest, run: { ...manifest.run, id: other.id } })
  expect(() => parseManifest(swapped)).toThrow('the run is not the one that it says')
})
