/** A feature of ES2024 that Node.js has and the compiled language version's library lacks. */
interface ArrayBuffer {
  readonly resizable: boolean
  resize(byteLength: number): void
}

interface ArrayBufferConstructor {
  new (byteLength: number, options: { readonly maxByteLength: number }): ArrayBuffer
}
