"""
Makes tiny CLIP, SigLIP and BERT models with random weights in the layout that transformers.js loads, and the scores that PyTorch computes with them:
how well texts fit pictures, and for BERT the cosines of texts.

    pip install torch transformers onnx pillow
    python scripts/data/zero-shot-models.py tests/golden/zero-shot clip siglip bert

Picture "grey" is resized, and has one colour, because two libraries resize other pictures differently.
"""
import json, pathlib, sys
import numpy as np, torch
from PIL import Image
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, normalizers, processors, decoders
from transformers import BertConfig, BertModel, CLIPConfig, CLIPModel, SiglipConfig, SiglipModel

out = pathlib.Path(sys.argv[1])
torch.manual_seed(0)
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789 .,'-"

def bytes_to_unicode():
    bs = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    cs = bs[:]; n = 0
    for b in range(256):
        if b not in bs: bs.append(b); cs.append(256 + n); n += 1
    return dict(zip(bs, map(chr, cs)))

def clip_tokenizer():
    chars = list(bytes_to_unicode().values())
    merges = [("c", "a"), ("ca", "t</w>"), ("d", "o"), ("do", "g</w>"), ("p", "h"), ("o", "t"), ("ph", "ot"), ("phot", "o</w>"), ("r", "e"), ("re", "d</w>"), ("o", "f</w>")]
    vocab = chars + [c + "</w>" for c in chars] + ["".join(m) for m in merges] + ["<|startoftext|>", "<|endoftext|>"]
    vocab = {token: i for i, token in enumerate(vocab)}
    tok = Tokenizer(models.BPE(vocab=vocab, merges=merges, end_of_word_suffix="</w>", unk_token="<|endoftext|>", fuse_unk=False, continuing_subword_prefix=""))
    tok.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"), "removed", invert=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False)])
    s, e = vocab["<|startoftext|>"], vocab["<|endoftext|>"]
    tok.add_special_tokens(["<|startoftext|>", "<|endoftext|>"])
    tok.post_processor = processors.RobertaProcessing(("<|endoftext|>", e), ("<|startoftext|>", s), trim_offsets=False, add_prefix_space=False)
    tok.decoder = decoders.ByteLevel()
    return tok, s, e, len(vocab)

def siglip_tokenizer():
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0)] + [(c, -4.0) for c in LETTERS if c != " "] + [("▁cat", -3.0), ("▁dog", -3.0), ("▁photo", -3.0), ("▁of", -2.5), ("▁a", -2.1)]
    tok = Tokenizer(models.Unigram(pieces, unk_id=2))
    tok.normalizer = normalizers.Lowercase()
    tok.pre_tokenizer = pre_tokenizers.Metaspace()
    tok.decoder = decoders.Metaspace()
    tok.add_special_tokens(["<pad>", "</s>", "<unk>"])
    tok.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return tok, len(pieces)

vision = dict(hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=4, image_size=32, patch_size=8)
text = dict(hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=4)
POS = 24

def pixels(image, mean, std):
    return torch.from_numpy(((np.asarray(image, np.float32) / 255 - mean) / std).transpose(2, 0, 1)[None].astype(np.float32))

class Clip(torch.nn.Module):
    def __init__(self, m): super().__init__(); self.m = m
    def forward(self, input_ids, pixel_values, attention_mask):
        o = self.m(input_ids=input_ids, pixel_values=pixel_values, attention_mask=attention_mask)
        return o.logits_per_image, o.logits_per_text, o.text_embeds, o.image_embeds

class Siglip(torch.nn.Module):
    def __init__(self, m): super().__init__(); self.m = m
    def forward(self, input_ids, pixel_values):
        o = self.m(input_ids=input_ids, pixel_values=pixel_values)
        return o.logits_per_image, o.logits_per_text, o.text_embeds, o.image_embeds

names = ["logits_per_image", "logits_per_text", "text_embeds", "image_embeds"]

def export(module, args, inputs, folder):
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    axes = {"input_ids": {0: "text_batch", 1: "sequence"}, "pixel_values": {0: "image_batch"}, "attention_mask": {0: "text_batch", 1: "sequence"}}
    axes = {k: v for k, v in axes.items() if k in inputs}
    axes.update({"logits_per_image": {0: "image_batch", 1: "text_batch"}, "logits_per_text": {0: "text_batch", 1: "image_batch"}, "text_embeds": {0: "text_batch"}, "image_embeds": {0: "image_batch"}})
    torch.onnx.export(module, args, str(folder / "onnx/model.onnx"), input_names=inputs, output_names=names, dynamic_axes=axes, opset_version=17, dynamo=False)

rng = np.random.default_rng(1)
pictures = {"noise": Image.fromarray(rng.integers(0, 256, (32, 32, 3), dtype=np.uint8)),
            "red": Image.new("RGB", (32, 32), (200, 30, 30)),
            "grey": Image.new("RGB", (100, 60), (90, 90, 90))}
texts = ["a photo of a cat", "a photo of a dog", "A red square.", "dogs, cats and other things"]

def save(folder, config, tokenizer, tokenizer_config, pre):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(config.to_json_string())
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer_config, indent=1))
    (folder / "preprocessor_config.json").write_text(json.dumps(pre, indent=1))

def build(kind):
    folder = out / kind
    if kind == "clip":
        tok, s, e, size = clip_tokenizer()
        config = CLIPConfig(text_config=dict(**text, vocab_size=size, max_position_embeddings=POS, bos_token_id=s, eos_token_id=e, pad_token_id=e), vision_config=vision, projection_dim=16)
        model = CLIPModel(config).eval()
        mean, std = np.array([0.48145466, 0.4578275, 0.40821073]), np.array([0.26862954, 0.26130258, 0.27577711])
        pre = dict(image_processor_type="CLIPImageProcessor", feature_extractor_type="CLIPFeatureExtractor", do_resize=True, size={"shortest_edge": 32}, resample=3, do_center_crop=True, crop_size={"height": 32, "width": 32}, do_rescale=True, rescale_factor=1 / 255, do_normalize=True, image_mean=list(mean), image_std=list(std), do_convert_rgb=True)
        tcfg = dict(tokenizer_class="CLIPTokenizer", model_max_length=POS, bos_token="<|startoftext|>", eos_token="<|endoftext|>", pad_token="<|endoftext|>", unk_token="<|endoftext|>")
    else:
        tok, size = siglip_tokenizer()
        config = SiglipConfig(text_config=dict(**text, vocab_size=size, max_position_embeddings=POS, pad_token_id=0, bos_token_id=1, eos_token_id=1, projection_size=16), vision_config=vision)
        model = SiglipModel(config).eval()
        mean, std = np.array([0.5] * 3), np.array([0.5] * 3)
        pre = dict(image_processor_type="SiglipImageProcessor", do_resize=True, size={"height": 32, "width": 32}, resample=3, do_rescale=True, rescale_factor=1 / 255, do_normalize=True, image_mean=list(mean), image_std=list(std))
        tcfg = dict(tokenizer_class="SiglipTokenizer", model_max_length=POS, eos_token="</s>", pad_token="<pad>", unk_token="<unk>")
        with torch.no_grad(): model.logit_scale.fill_(2.0); model.logit_bias.fill_(-1.0)
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() > 1: p.normal_(0, 0.3)
    save(folder, config, tok, tcfg, pre)
    def encode(t):
        ids = tok.encode(t).ids
        if len(ids) > POS: ids = ids[:POS - 1] + [ids[-1]]
        mask = [1] * len(ids)
        if kind == "siglip": ids += [0] * (POS - len(ids))
        return torch.tensor([ids]), torch.tensor([mask])
    module = Clip(model) if kind == "clip" else Siglip(model)
    ids, mask = encode(texts[0])
    px = pixels(pictures["noise"], mean, std)
    export(module, (ids, px, mask) if kind == "clip" else (ids, px), ["input_ids", "pixel_values", "attention_mask"][:3 if kind == "clip" else 2], folder)
    golden = {}
    for name, picture in pictures.items():
        image = picture
        if picture.size != (32, 32):
            if kind == "clip":
                w, h = picture.size; short = 32 / min(w, h)
                image = picture.resize((int(w * short), int(h * short)), Image.BICUBIC)
                w, h = image.size; l, t = (w - 32) // 2, (h - 32) // 2
                image = image.crop((l, t, l + 32, t + 32))
            else: image = picture.resize((32, 32), Image.BICUBIC)
        picture.save(out / f"{name}.png")
        with torch.no_grad():
            golden[name] = {}
            for t in texts:
                ids, mask = encode(t)
                o = module(ids, pixels(image, mean, std), mask) if kind == "clip" else module(ids, pixels(image, mean, std))
                x = o[0].item()
                golden[name][t] = x if kind == "clip" else torch.nn.functional.logsigmoid(torch.tensor(x, dtype=torch.float64)).item()
    (folder / "golden.json").write_text(json.dumps(golden, indent=1))

class Bert(torch.nn.Module):
    def __init__(self, m): super().__init__(); self.m = m
    def forward(self, input_ids, attention_mask, token_type_ids):
        return self.m(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).last_hidden_state

def build_bert():
    folder = out / "bert"
    (folder / "onnx").mkdir(parents=True, exist_ok=True)
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [c for c in LETTERS if c != " "]
    vocab = {token: i for i, token in enumerate(special + letters + ["##" + c for c in letters] + ["cat", "dog", "photo", "of", "red", "the"])}
    tok = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer(lowercase=True)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.decoder = decoders.WordPiece()
    tok.post_processor = processors.BertProcessing(("[SEP]", vocab["[SEP]"]), ("[CLS]", vocab["[CLS]"]))
    tok.add_special_tokens(special)
    model = BertModel(BertConfig(**text, vocab_size=len(vocab), max_position_embeddings=POS, attn_implementation="eager"), add_pooling_layer=False).eval()
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() > 1: p.normal_(0, 0.3)
    (folder / "config.json").write_text(model.config.to_json_string())
    tok.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(dict(tokenizer_class="BertTokenizer", model_max_length=POS, do_lower_case=True), indent=1))
    def encode(t):
        ids = torch.tensor([tok.encode(t).ids])
        return ids, torch.ones_like(ids), torch.zeros_like(ids)
    module = Bert(model).eval()
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "sequence"} for name in inputs + ["last_hidden_state"]}
    torch.onnx.export(module, encode(texts[0]), str(folder / "onnx/model.onnx"), input_names=inputs, output_names=["last_hidden_state"], dynamic_axes=axes, opset_version=17, dynamo=False)
    short = ["the red cat", "a photo of a dog", "A photo of the cat.", "2 dogs"]
    pools = {"mean": lambda v: v.mean(0), "cls": lambda v: v[0], "last_token": lambda v: v[-1]}
    golden = {}
    with torch.no_grad():
        vectors = {t: module(*encode(t))[0].double() for t in short}
        for name, pool in pools.items():
            golden[name] = [[a, b, torch.cosine_similarity(pool(vectors[a]), pool(vectors[b]), dim=0).item()] for a in short for b in short if a < b]
    (folder / "golden.json").write_text(json.dumps(golden, indent=1))

for kind in sys.argv[2:]: build_bert() if kind == "bert" else build(kind)
