import type { Json } from '../../base/canonical-json.js'

export type JsonObject = { readonly [key: string]: Json | undefined }
