// The package's own declarations import each other without file extensions, which "nodenext" does not resolve.
declare module '@huggingface/tokenizers' {
  export class Tokenizer {
    constructor(tokenizer: object, config: object)
    encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] }
    decode(ids: number[], options: { skip_special_tokens: boolean; clean_up_tokenization_spaces: boolean }): string
    token_to_id(token: string): number | undefined
    id_to_token(id: number): string | undefined
  }
}
