import type { ProviderBatch } from '../../../cache/batches.js'

/** The JSON of open batches. */
export const batchJson = ({
  name,
  id,
  upload,
  address,
  state,
  requests,
  open,
  createdAt,
  cancelling,
}: ProviderBatch) => ({
  name,
  id,
  upload,
  address,
  state,
  requests,
  open,
  created_at: new Date(createdAt).toISOString(),
  cancel: cancelling,
})
