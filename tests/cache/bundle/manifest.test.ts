import { expect, test } from 'vitest'
import { makeManifest, manifestText, parseManifest } from '../../../cache/bundle/manifest.js'
import { portableRun } from '../../support/portable-runs.js'

const digest = `sha256:${'0'.repeat(64)}`
const manifest = makeManifest(portableRun({ docs: 2, judgedAt: [3000] }), [
  { name: 'inputs.parquet', digest, bytes: 10, rows: 2 },
])
const text = manifestText(manifest)

test('a manifest comes back as it was written', () => {
  expect(parseManifest(text)).toEqual(manifest)
})

test('a blank more is refused', () => {
  expect(() => parseManifest(text.replace('": ', '":  '))).toThrow('not byte for byte')
})

test('any other byte is refused, in one line', () => {
  for (let at = 0; at < text.length; at += 1) {
    const other = text.charAt(at) === '1' ? '2' : '1'
    const parse = () => parseManifest(text.slice(0, at) + other + text.slice(at + 1))
    expect(parse).toThrow(RangeError)
    expect(parse).toThrow(/^[^\n]+$/)
  }
})

test('a newer format is refused with what to do, whatever else is in it', () => {
  const newer = JSON.stringify({ format: 'pipeline-run', version: 4, surprise: true })
  expect(() => parseManifest(newer)).toThrow('format version 4, and this program reads up to 3')
})

test('a part whose name leads elsewhere is refused', () => {
  const evil = manifestText({ ...manifest, parts: [{ name: '../evil.parquet', digest, bytes: 1, rows: 1 }] })
  expect(() => parseManifest(evil)).toThrow(RangeError)
})

test('a run under the id of another is refused', () => {
  const other = portableRun({ docs: 2, seed: 1 })
  const swapped = manifestText({ ...manifest, run: { ...manifest.run, id: other.id } })
  expect(() => parseManifest(swapped)).toThrow('the run is not the one that it says')
})
