/** A WAV file of one channel with 16-bit samples. */
export function waveOf(samples: readonly number[], rate: number): Buffer {
  const header = Buffer.alloc(44)
  const bytes = samples.length * 2
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + bytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(bytes, 40)
  const data = Buffer.alloc(bytes)
  samples.forEach((sample, at) => data.writeInt16LE(Math.round(sample * 32767), at * 2))
  return Buffer.concat([header, data])
}
