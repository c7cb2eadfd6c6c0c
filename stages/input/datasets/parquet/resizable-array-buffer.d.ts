/** What Node.js has and the library of the language's version that is compiled for has not: ES2024. */
interface ArrayBuffer {
  readonly resizable: boolean
  resize(byteLength: number): void
}

interface ArrayBufferConstructor {
  new (byteLength: number, options: { readonly maxByteLength: number }): ArrayBuffer
}
