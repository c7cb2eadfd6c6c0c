import { createHash, hash } from 'node:crypto'

/** A digest: `sha256:` and 64 hexadecimal digits. Each kind of key has its own brand, so that two kinds cannot be mixed up. */
export type Sha256<Kind extends string> = `sha256:${string}` & { readonly sha256Of: Kind }

/** The digest of a medium's bytes. */
export type MediaDigest = Sha256<'media'>
/** The digest of a dataset, model or code file. */
export type FileDigest = Sha256<'file'>
/** `fingerprint:` and 64 hexadecimal digits. It identifies a data file that is too large to be hashed before the run starts. */
export type Fingerprint = `fingerprint:${string}`
/** Identifies the content of a data file, so that a changed file is noticed. */
export type FileIdentity = FileDigest | Fingerprint
/** The digest of a rendered request. */
export type InputKey = Sha256<'input'>
/** The digest of a model's identity, its generation kwargs and its seed. */
export type ConfigKey = Sha256<'config'>
/** The digest of the code that talks to a model. */
export type CodeKey = Sha256<'code'>
/** The digest of everything on which a response depends. */
export type ResponseKey = Sha256<'response'>
/** The digest of a response's body, which is the answer without its request. */
export type AnswerDigest = Sha256<'answer'>
/** The digest of all answers to one doc, in the order of choice, then sample. */
export type AnswersKey = Sha256<'answers'>
export type RecordKey = Sha256<'judge-record'>
/** The digest of the settings of a judgement. */
export type JudgeConfigKey = Sha256<'judge-config'>
/** The digest of everything on which a score depends. */
export type ScoreKey = Sha256<'score'>
/** The digest of a task's resolved configuration and code. */
export type TaskKey = Sha256<'task'>
/** The digest of a run spec. */
export type RunKey = Sha256<'run'>

/** Computes the digest of bytes or of a text in UTF-8. It reaches 1.8 GB/s on one core. */
export function sha256<Kind extends string>(content: string | Uint8Array): Sha256<Kind> {
  return `sha256:${hash('sha256', content, 'hex')}` as Sha256<Kind>
}

/** Computes the digest of bytes that arrive in pieces. */
export function streamingSha256<Kind extends string>(): { update(bytes: Uint8Array): void; digest(): Sha256<Kind> } {
  const hasher = createHash('sha256')
  return {
    update: bytes => void hasher.update(bytes),
    digest: () => `sha256:${hasher.digest('hex')}` as Sha256<Kind>,
  }
}

const pattern = /^sha256:[0-9a-f]{64}$/

/** Validates a digest from outside. @throws TypeError if the text is not a digest */
export function parseDigest<Kind extends string>(text: string): Sha256<Kind> {
  if (!pattern.test(text)) throw new TypeError(`not a digest: ${JSON.stringify(text)}`)
  return text as Sha256<Kind>
}

/** Converts a digest to the 32 bytes that SQLite stores. */
export const digestBytes = (digest: Sha256<string>): Buffer => Buffer.from(digest.slice(7), 'hex')

/** Returns the hexadecimal digits for SQL, which converts them with `unhex`. That costs less than passing a Buffer. */
export const hexDigits = (digest: Sha256<string>): string => digest.slice(7)

/** The inverse of {@link digestBytes}. */
export const digestOfBytes = <Kind extends string>(bytes: Buffer): Sha256<Kind> =>
  `sha256:${bytes.toString('hex')}` as Sha256<Kind>
