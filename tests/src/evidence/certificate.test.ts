import { generateKeyPairSync, createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from '../../../cache/open.js'
import { exportRun } from '../../../cache/bundle/export.js'
import { certificatePath, readPrivateKey, signBundle, type Certificate } from '../../../src/evidence/certificate.js'
import { computeRoot, hashLeaf } from '../../../src/evidence/merkle-tree.js'
import { verifyBundle } from '../../../src/evidence/verify-certificate.js'
import { evaluate } from '../../../src/index.js'
import { openRun } from '../../../src/reading/runs/run-reference.js'
import { temporaryFolder } from '../../support/store.js'

/** Evaluates two docs, and exports and signs the run. */
async function signedRun() {
  const folder = await temporaryFolder()
  const [task, dir, file, pem] = ['q.yaml', 'store', 'run.pipeline', 'key.pem'].map(name => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ]
  const rules = 'doc_to_text: "{{q}}"\ndoc_to_target: a\nmetric_list: [{metric: exact_match}]'
  await writeFile(task, `task: q\ndataset_path: ./docs.jsonl\n${rules}\n`)
  await writeFile(join(folder, 'docs.jsonl'), '{"q":"1","a":"yes"}\n{"q":"2","a":"no"}\n')
  await evaluate({ store: dir, model: 'dummy', modelArgs: { mode: 'fixed', text: 'yes' }, tasks: [task] })
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  await writeFile(pem, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const store = await openStore(dir)
  try {
    const { run } = await openRun(store, 'last')
    const manifest = await exportRun(store, run, { file, media: false })
    const certificate = await signBundle(file, { manifest, key: await readPrivateKey(pem), now: 0 })
    await writeFile(certificatePath(file), JSON.stringify(certificate))
    return { folder, file, certificate, publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() }
  } finally {
    await store.close()
  }
}

test('a certificate contains requests and scores of the run, and the file is valid', async () => {
  const { file, certificate } = await signedRun()
  expect(await verifyBundle(file)).toEqual({ file, certificate, problems: [] })
  expect(certificate).toMatchObject({
    run: { asked: { tasks: [{ name: 'q' }], model: { backend: 'dummy' } }, partial: false },
    judgement: { number: 1, scores: [{ task: 'q', metric: 'exact_match', value: 0.5, n: 2 }] },
    signed_at: '1970-01-01T00:00:00.000Z',
  })
})

test('detects any changed byte of the file, and a shorter or longer file', async () => {
  const { file } = await signedRun()
  const bytes = await readFile(file)
  const { parts } = (await verifyBundle(file)).certificate
  expect(parts.map(({ name }) => name)).toContain('manifest.json')
  for (const at of [0, 300, 600, Math.floor(bytes.length / 2), bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    await writeFile(file, changed)
    expect((await verifyBundle(file)).problems).toEqual([
      expect.stringMatching(/^bytes \d+ to \d+ are not those that were signed \(/),
    ])
  }
  await writeFile(file, bytes.subarray(0, -1))
  expect((await verifyBundle(file)).problems).toHaveLength(2)
  await writeFile(file, Buffer.concat([bytes, Buffer.from('x')]))
  expect((await verifyBundle(file)).problems).not.toEqual([])
})

test.each<[string, (certificate: Certificate) => object]>([
  ['a score', ({ judgement, ...rest }) => ({ ...rest, judgement: { ...(judgement as object), scores: [] } })],
  ['the model', ({ run, ...rest }) => ({ ...rest, run: { ...(run as object), asked: {} } })],
  ['the date', certificate => ({ ...certificate, signed_at: '2030-01-01T00:00:00.000Z' })],
  ['an added field', certificate => ({ ...certificate, note: 'x' })],
  ['the signature', certificate => ({ ...certificate, signature: 'AAAA' })],
  ['the key', certificate => ({ ...certificate, public_key: 'AAAA' })],
])('rejects a certificate in which %s was changed', async (_, change) => {
  const { file, certificate } = await signedRun()
  await writeFile(certificatePath(file), JSON.stringify(change(certificate)))
  expect((await verifyBundle(file)).problems).toEqual([
    expect.stringContaining('changed after it was signed') as string,
  ])
})

test.each<[string, (text: string) => string]>([
  ['a field within the file', text => text.replace('"chunk_bytes"', '"note": 1, "chunk_bytes"')],
  ['a field within a part', text => text.replace('"offset"', '"note": "x", "offset"')],
  ['a field within the model', text => text.replace('"backend"', '"note": null, "backend"')],
  ['a field within a score', text => text.replace('"value"', '"note": [], "value"')],
  ['a second judgement before the signed one', text => text.replace('"judgement"', '"judgement": {}, "judgement"')],
  ['a second value of a score', text => text.replace('"value"', '"value": 0.9, "value"')],
  ['the same value twice', text => text.replace('"format"', '"format": 1, "format"')],
  ['a second key with an escape', text => text.replace('"value"', '"\\u0076alue": 0.9, "value"')],
  ['characters that are not Base64 in the signature', text => text.replace('"signature": "', '"signature": "!*')],
  ['a space in the signature', text => text.replace('"signature": "', '"signature": " ')],
  ['a signature in another alphabet', text => text.replace(/"signature": "[^"]*/, '$&-_')],
  ['a second signature behind the first', text => text.replace(/("signature": ")([^"]*)/, '$1$2$2')],
  ['characters behind the key', text => text.replace(/("public_key": "[^"]*)/, '$1AAAA')],
  ['a number that a reader rounds', text => text.replace('"value": 0.5', '"value": 0.49999999999999999999')],
  ['a field with the name of a prototype', text => text.replace('"format"', '"__proto__": {"a": 1}, "format"')],
])('rejects a certificate to whose text was added %s', async (_, change) => {
  const { file } = await signedRun()
  const text = JSON.stringify(JSON.parse(await readFile(certificatePath(file), 'utf8')), undefined, 2)
  expect(change(text)).not.toBe(text)
  await writeFile(certificatePath(file), change(text))
  expect((await verifyBundle(file)).problems).toContainEqual(expect.stringContaining('changed after it was signed'))
})

test('accepts a certificate whose text only has another layout', async () => {
  const { file, certificate } = await signedRun()
  const { signature, ...rest } = certificate
  for (const text of [
    JSON.stringify({ signature, ...rest }, undefined, '\t'),
    JSON.stringify(certificate).replace('"value":0.5', '"value" : 5.0e-1').replace('"format"', '"\\u0066ormat"'),
  ]) {
    await writeFile(certificatePath(file), text)
    expect((await verifyBundle(file)).problems).toEqual([])
  }
})

test('names few places of a file that differs everywhere', async () => {
  const { file } = await signedRun()
  const bytes = await readFile(file)
  const chunk = 4_096
  await writeFile(file, Buffer.alloc(bytes.length))
  expect((await verifyBundle(file)).problems).toEqual([expect.stringMatching(/^bytes 0 to \d+ are not/)])
  for (let at = 0; at < bytes.length; at += 2 * chunk) bytes[at] = (bytes[at] ?? 0) ^ 1
  await writeFile(file, bytes)
  const { problems } = await verifyBundle(file)
  expect(problems).toHaveLength(6)
  expect(problems[5]).toMatch(/^the bytes of \d+ further places/)
})

test('rejects a certificate of another key than the given one, and an invalid key', async () => {
  const { folder, file, publicKey } = await signedRun()
  const [own, other] = [join(folder, 'own.pem'), join(folder, 'other.pem')]
  await writeFile(own, publicKey)
  await writeFile(other, generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }))
  expect((await verifyBundle(file, { publicKey: own })).problems).toEqual([])
  expect((await verifyBundle(file, { publicKey: other })).problems).toEqual([expect.stringContaining('another key')])
  await expect(verifyBundle(file, { publicKey: file })).rejects.toThrow("can't be read as a key")
  await expect(readPrivateKey(own)).rejects.toThrow('openssl genpkey')
  await writeFile(
    own,
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
  )
  await expect(readPrivateKey(own)).rejects.toThrow('no Ed25519 key')
})

test("says what to do about a missing certificate or a file without a key, not in OpenSSL's words", async () => {
  const { folder, file } = await signedRun()
  await rm(certificatePath(file))
  await expect(verifyBundle(file)).rejects.toThrow(/run\.pipeline\.cert\.json is not there.*signed/)
  await expect(readPrivateKey(file)).rejects.toThrow(/holds no private key in PEM form.\n {2}Make a key with/)
  await expect(readPrivateKey(join(folder, 'none.pem'))).rejects.toThrow('none.pem is not there')
})

test('the hash tree follows RFC 6962: an odd leaf moves up, and leaves and nodes are distinct', () => {
  const leaves = ['a', 'b', 'c'].map(text => hashLeaf(Buffer.from(text)))
  const node = (left: string, right: string): string =>
    createHash('sha256')
      .update(Buffer.concat([Buffer.from([1]), Buffer.from(left, 'hex'), Buffer.from(right, 'hex')]))
      .digest('hex')
  const [a = '', b = '', c = ''] = leaves
  expect(computeRoot(leaves)).toBe(node(node(a, b), c))
  expect(a).toBe(createHash('sha256').update(Buffer.from('\u0000a')).digest('hex'))
  expect(computeRoot([])).toBe(createHash('sha256').digest('hex'))
})
