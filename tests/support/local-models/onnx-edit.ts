/** Edits ONNX files: new inputs and outputs around a network, without a library for the format. Source: onnx.proto3 of ONNX 1.17. */

/** One field of a message, with its bytes as they stand in the file. */
interface Field {
  readonly number: number
  readonly whole: Uint8Array
  readonly content: Uint8Array
}

const graphField = 7
const [nodeField, initializerField, inputField, outputField] = [1, 5, 11, 12]

/** A value that enters or leaves a network. A text is a size that is known later. */
export interface Port {
  readonly name: string
  readonly type: 'float32' | 'int64'
  readonly shape: readonly (number | string)[]
}

export interface Node {
  readonly op: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** @default none */
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>
}

/** Changes of a network. */
export interface Frame {
  readonly inputs: readonly Port[]
  readonly outputs: readonly Port[]
  /** The nodes that make the network's old inputs. */
  readonly before: readonly Node[]
  /** The nodes that read its old outputs. */
  readonly after: readonly Node[]
  /** Lists of integers that the nodes read by name. */
  readonly constants: Readonly<Record<string, readonly number[]>>
}

/** Puts nodes around a network, and replaces its inputs and outputs. */
export function frameNetwork(model: Uint8Array, { inputs, outputs, before, after, constants }: Frame): Uint8Array {
  return joinBytes(
    readFields(model).map(field => {
      if (field.number !== graphField) return field.whole
      const kept = readFields(field.content).filter(({ number }) => number !== inputField && number !== outputField)
      return message(graphField, [
        ...before.map(writeNode),
        ...kept.filter(({ number }) => number === nodeField).map(({ whole }) => whole),
        ...after.map(writeNode),
        ...kept.filter(({ number }) => number !== nodeField).map(({ whole }) => whole),
        ...Object.entries(constants).map(writeConstant),
        ...inputs.map(port => writePort(inputField, port)),
        ...outputs.map(port => writePort(outputField, port)),
      ])
    }),
  )
}

function readFields(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = []
  for (let at = 0; at < bytes.length;) {
    const start = at
    const next = (): number => {
      let [value, scale] = [0, 1]
      for (;;) {
        const byte = bytes[at++] ?? 0
        value += (byte & 127) * scale
        scale *= 128
        if (byte < 128) return value
      }
    }
    const tag = next()
    const type = tag & 7
    let content = bytes.subarray(at, at)
    if (type === 0) next()
    else {
      const length = type === 2 ? next() : type === 1 ? 8 : 4
      content = bytes.subarray(at, at + length)
      at += length
    }
    fields.push({ number: tag >>> 3, whole: bytes.subarray(start, at), content })
  }
  return fields
}

const joinBytes = (parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts)

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Uint8Array.from([...bytes, Number(rest)])
}

const integer = (field: number, value: number): Uint8Array => joinBytes([varint(field * 8), varint(value)])

function message(field: number, parts: readonly Uint8Array[]): Uint8Array {
  const content = joinBytes(parts)
  return joinBytes([varint(field * 8 + 2), varint(content.length), content])
}

const text = (field: number, value: string): Uint8Array => message(field, [Buffer.from(value)])

const writeNode = ({ op, inputs, outputs, attributes = {} }: Node): Uint8Array =>
  message(nodeField, [
    ...inputs.map(name => text(1, name)),
    ...outputs.map(name => text(2, name)),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) =>
      message(5, [
        text(1, name),
        ...(typeof value === 'number'
          ? [integer(3, value), integer(20, 2)]
          : [...value.map(one => integer(8, one)), integer(20, 7)]),
      ]),
    ),
  ])

const writeConstant = ([name, values]: readonly [string, readonly number[]]): Uint8Array =>
  message(initializerField, [
    integer(1, values.length),
    integer(2, 7),
    ...values.map(value => integer(7, value)),
    text(8, name),
  ])

const writePort = (field: number, { name, type, shape }: Port): Uint8Array =>
  message(field, [
    text(1, name),
    message(2, [
      message(1, [
        integer(1, type === 'float32' ? 1 : 7),
        message(
          2,
          shape.map(size => message(1, [typeof size === 'number' ? integer(1, size) : text(2, size)])),
        ),
      ]),
    ]),
  ])
