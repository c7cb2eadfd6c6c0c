"""
Makes a tiny Whisper with random weights in the layout that transformers.js loads, and the texts that PyTorch writes down of sounds.
It leaves out sounds with a near tie, where rounding decides the next letter.

    pip install torch transformers onnx
    python scripts/data/whisper-model.py tests/golden/whisper tasks/small_media/data/speech/confbridge-*.wav
"""
import json, pathlib, sys, wave
import numpy as np, torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration
from transformers.cache_utils import DynamicCache, EncoderDecoderCache

out, sounds = pathlib.Path(sys.argv[1]), sys.argv[2:]
(out / "onnx").mkdir(parents=True, exist_ok=True)
torch.manual_seed(0)
SECONDS, HEADS, WIDTH = 2, 2, 16
letters = sorted(pre_tokenizers.ByteLevel.alphabet())
special = ["<|endoftext|>", "<|startoftranscript|>", "<|notimestamps|>"]
vocab = {token: i for i, token in enumerate(letters + special)}
end, start, bare = (vocab[token] for token in special)
tok = Tokenizer(models.BPE(vocab=vocab, merges=[]))
tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tok.decoder = decoders.ByteLevel()
tok.add_special_tokens(special)
ids = dict(decoder_start_token_id=start, bos_token_id=end, eos_token_id=end, pad_token_id=end)
config = WhisperConfig(vocab_size=len(vocab), d_model=WIDTH, encoder_layers=1, decoder_layers=1, encoder_attention_heads=HEADS, decoder_attention_heads=HEADS,
    encoder_ffn_dim=32, decoder_ffn_dim=32, num_mel_bins=80, max_source_positions=50 * SECONDS, max_target_positions=48, suppress_tokens=None, begin_suppress_tokens=None,
    tie_word_embeddings=False, attn_implementation="eager", **ids)
model = WhisperForConditionalGeneration(config).eval()
with torch.no_grad():
    for name, p in model.named_parameters():
        if p.dim() > 1 and "encoder.embed_positions" not in name: p.normal_(0, 0.5)
    model.model.decoder.layers[0].encoder_attn.v_proj.weight.mul_(4)
    # Only letters are written, so that the text can be read.
    written = [vocab[letter] for letter in "abcdefghijklmnopqrstuvwxyz"]
    model.proj_out.weight[[i for i in range(len(vocab)) if i not in written]] = 0

class Encoder(torch.nn.Module):
    def __init__(self): super().__init__(); self.m = model.model.encoder
    def forward(self, input_features): return self.m(input_features).last_hidden_state

class Decoder(torch.nn.Module):
    def __init__(self): super().__init__(); self.m = model
    def forward(self, input_ids, encoder_hidden_states, key, value):
        own = DynamicCache(); own.update(key, value, 0)
        positions = torch.arange(input_ids.shape[1]).unsqueeze(0) + key.shape[2]
        cache = EncoderDecoderCache(own, DynamicCache())
        hidden = self.m.model.decoder(input_ids=input_ids, encoder_hidden_states=encoder_hidden_states, past_key_values=cache, position_ids=positions, use_cache=True).last_hidden_state
        layer = cache.self_attention_cache.layers[0]
        return self.m.proj_out(hidden), layer.keys, layer.values

extractor = WhisperFeatureExtractor(feature_size=80, chunk_length=SECONDS)
encoder, decoder = Encoder().eval(), Decoder().eval()
none = torch.zeros(1, HEADS, 0, WIDTH // HEADS)

def listen(sound):
    """Returns the features of a sound, the text, and the smallest lead of a letter over the next best."""
    with wave.open(sound) as file:
        values = np.frombuffer(file.readframes(SECONDS * 16000), np.int16).astype(np.float32) / 32768
    features = torch.from_numpy(extractor(values, sampling_rate=16000)["input_features"])
    tokens, leads = [start, bare], []
    with torch.no_grad():
        hidden = encoder(features)
        for _ in range(24):
            top = decoder(torch.tensor([tokens]), hidden, none, none)[0][0, -1].topk(2)
            leads.append((top.values[0] - top.values[1]).item())
            tokens.append(top.indices[0].item())
    return features, hidden, tok.decode(tokens, skip_special_tokens=True), min(leads)

golden = {}
for sound in sounds:
    features, hidden, text, lead = listen(sound)
    if lead > 0.02: golden[pathlib.Path(sound).name] = text
(out / "golden.json").write_text(json.dumps(golden, indent=1))
past = ["past_key_values.0.decoder.key", "past_key_values.0.decoder.value"]
present = [name.replace("past_key_values", "present") for name in past]
torch.onnx.export(encoder, (features,), str(out / "onnx/encoder_model.onnx"), input_names=["input_features"], output_names=["last_hidden_state"], opset_version=17, dynamo=False)
axes = {"input_ids": {1: "sequence"}, "logits": {1: "sequence"}, **{name: {2: "past"} for name in past}, **{name: {2: "whole"} for name in present}}
some = torch.randn(1, HEADS, 3, WIDTH // HEADS)
torch.onnx.export(decoder, (torch.tensor([[start, bare]]), hidden, some, some), str(out / "onnx/decoder_model_merged.onnx"), input_names=["input_ids", "encoder_hidden_states", *past],
    output_names=["logits", *present], dynamic_axes=axes, opset_version=17, dynamo=False)
(out / "config.json").write_text(config.to_json_string())
(out / "generation_config.json").write_text(json.dumps(dict(**ids, no_timestamps_token_id=bare, is_multilingual=False, max_new_tokens=24, max_length=48, return_timestamps=False), indent=1))
tok.save(str(out / "tokenizer.json"))
(out / "tokenizer_config.json").write_text(json.dumps(dict(tokenizer_class="WhisperTokenizer", eos_token=special[0], bos_token=special[0], pad_token=special[0], unk_token=special[0])))
(out / "preprocessor_config.json").write_text(json.dumps(dict(feature_extractor_type="WhisperFeatureExtractor", processor_class="WhisperProcessor", feature_size=80, chunk_length=SECONDS,
    n_fft=400, hop_length=160, sampling_rate=16000, n_samples=SECONDS * 16000, nb_max_frames=SECONDS * 100, padding_side="right", padding_value=0.0, return_attention_mask=False)))
