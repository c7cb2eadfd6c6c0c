import type { MediaDigest } from '../../digest.js'

/** Returns the name of the object with a medium. It is the path that the medium has in a folder, so that both can be copied into each other. */
export const nameObject = (digest: MediaDigest): string => `${digest.slice(7, 9)}/${digest.slice(9)}`

/** The inverse of {@link nameObject}. Undefined for all other objects. */
export const readObjectName = (name: string): MediaDigest | undefined =>
  /^[0-9a-f]{2}\/[0-9a-f]{62}$/.test(name) ? (`sha256:${name.replace('/', '')}` as MediaDigest) : undefined
