"""The generative story: theta, words, KL, diversity, and which settings make a model."""

from math import pi

import numpy as np
import pytest
import torch
from planted import random_pairs
from torch import Tensor

from topiceq.article.equation.rules import SPECIAL
from topiceq.config import ModelConfig, ResearchConfig
from topiceq.corpus.vocab import Vocab
from topiceq.errors import ConfigError, Unsupported
from topiceq.model.batches import Batch, Counts, collate, sparse
from topiceq.model.decoders import DECODERS, Sizes, widened
from topiceq.model.joint import JointModel
from topiceq.model.start import GivenTopics
from topiceq.model.theta import Dense, Vae, diversity, kl, word_log_prob

TOKENS = Vocab([*SPECIAL, "a", "b", "c", "{", "}"])
SIZES = Sizes(words=6, tokens=9, phrases=3)
PAIRS = random_pairs([3, 4, 5, 2, 6, 3])


def model(**changes: object) -> JointModel:
    torch.manual_seed(0)
    given = {"topics": 4, "state": 5, "embedding": 3, "encoder_units": 7, "symbols": 4}
    research = {key: changes.pop(key) for key in ResearchConfig.model_fields if key in changes}
    return JointModel(ModelConfig(**(given | changes)), SIZES, ResearchConfig(**research))


def batch(others: bool = False) -> Batch:
    rows = np.arange(6)
    return collate(PAIRS, rows, rows[::-1].copy() if others else None)


def words() -> Counts:
    return sparse(PAIRS.words)


def dense_words() -> Tensor:
    return torch.from_numpy(PAIRS.words.toarray())


def test_word_likelihood_is_the_multinomial_s() -> None:
    theta, beta = torch.randn(6, 4).softmax(-1), torch.randn(4, 6).softmax(-1)
    wanted = (dense_words() * (theta @ beta).log()).sum(-1)
    torch.testing.assert_close(word_log_prob(words(), theta, beta), wanted)


def test_kl_is_what_sampling_says() -> None:
    torch.manual_seed(0)
    mean, log_var = torch.tensor([[0.5, -1.0, 0.0]]), torch.tensor([[-1.0, 0.3, 0.0]])
    q = torch.distributions.Normal(mean, (0.5 * log_var).exp())
    eta = q.sample((200_000,))
    sampled = (q.log_prob(eta) - torch.distributions.Normal(0, 1).log_prob(eta)).sum(-1).mean()
    assert kl(mean, log_var).item() == pytest.approx(sampled.item(), rel=0.01)
    assert kl(torch.zeros(1, 3), torch.zeros(1, 3)).item() == 0


def test_diversity_is_mean_minus_variance_of_the_angles() -> None:
    vectors = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    angles = np.array([pi / 2, pi / 4, pi / 4])
    assert diversity(vectors).item() == pytest.approx(angles.mean() - angles.var(), abs=1e-5)
    assert diversity(-vectors).item() == pytest.approx(diversity(vectors).item())
    assert diversity(vectors[:1]).item() == 0


def test_diversity_of_equal_topics_has_a_finite_gradient() -> None:
    vectors = torch.ones(3, 5, requires_grad=True)
    diversity(vectors).backward()  # type: ignore[no-untyped-call]
    assert vectors.grad is not None and vectors.grad.isfinite().all()


def test_theta_is_a_mixture_and_deterministic() -> None:
    made = model().eval()
    theta = made.encode(words())
    assert theta is not None
    torch.testing.assert_close(theta.sum(-1), torch.ones(6))
    assert torch.equal(theta, made.encode(words()))


def test_the_loss_is_the_negative_elbo() -> None:
    made = model(decoders=["te-lstm", "alignment"])
    loss, terms = made(batch(), {"kl": 0.5, "diversity": -0.1})
    assert set(terms) == {"words", "kl", "diversity", "te-lstm", "alignment"}
    weights = {"kl": 0.5, "diversity": -0.1}
    wanted = sum(weights.get(name, 1.0) * term for name, term in terms.items())
    torch.testing.assert_close(loss, wanted)
    alone, terms = made(batch(), {}, joint=False)
    assert set(terms) == {"words", "kl", "diversity"}


def test_every_weight_gets_a_finite_gradient() -> None:
    made = model(decoders=["te-lstm", "bag"])
    loss, _ = made(batch(), {"diversity": -0.1})
    loss.backward()
    for name, weight in made.named_parameters():
        assert weight.grad is not None and weight.grad.isfinite().all(), name
        assert weight.grad.abs().sum() > 0, name


def test_pull_scales_what_equations_do_to_theta_and_nothing_else() -> None:
    found = {}
    for pull in (0.0, 1.0, 3.0):
        made = model(pull=pull)
        torch.manual_seed(1)
        loss, _ = made(batch(), {})
        loss.backward()
        decoder = made.decoders["te-lstm"].bias.grad.clone()
        found[pull] = made.theta.g.weight.grad.clone(), decoder, loss.detach()
    alone, once, thrice = (found[pull][0] for pull in (0.0, 1.0, 3.0))
    torch.testing.assert_close(thrice - alone, 3 * (once - alone), atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(found[0.0][1], found[3.0][1])
    torch.testing.assert_close(found[0.0][2], found[3.0][2])


def test_theta_of_another_article_reaches_the_decoder_only() -> None:
    made = model(theta_from="other").eval()
    own, other = made.log_probs(batch()), made.log_probs(batch(others=True))
    assert torch.equal(own["words"][0], other["words"][0])
    assert not torch.equal(own["te-lstm"][0], other["te-lstm"][0])


def test_a_model_without_theta_has_no_topics() -> None:
    made = model(theta="none", decoders=["lstm"]).eval()
    assert made.encode(words()) is None and made.beta() is None and not made.learns_topics
    assert not made.has_topics
    assert set(made.log_probs(batch())) == {"lstm"}
    assert set(made(batch(), {})[1]) == {"lstm"}


def test_lda_s_theta_is_frozen() -> None:
    made = model(theta="lda", decoders=["cat-lstm"])
    found = GivenTopics(np.random.default_rng(0).dirichlet(np.ones(6), 4), np.full(4, 0.5))
    made.start(PAIRS, TOKENS, found)
    assert {name.split(".")[0] for name, _ in made.named_parameters()} == {"decoders"}
    beta = made.beta()
    assert beta is not None
    np.testing.assert_allclose(beta.numpy(), found.topics, rtol=1e-5)
    assert set(made(batch(), {})[1]) == {"cat-lstm"}
    assert set(made.eval().log_probs(batch())) == {"words", "cat-lstm"}


def test_a_dense_encoding_is_no_mixture() -> None:
    made = model(encoder="dense")
    made.start(PAIRS, TOKENS, None)
    assert isinstance(made.theta, Dense) and made.beta() is None and not made.has_topics
    assert {name.split(".")[0] for name, _ in made.named_parameters()} == {"decoders"}
    assert set(made(batch(), {})[1]) == {"te-lstm"}
    theta = made.encode(words())
    assert theta is not None and (theta < 0).any()
    np.testing.assert_allclose(theta.norm(dim=-1), 1, rtol=1e-5)


def test_a_dense_encoding_is_latent_semantic_analysis() -> None:
    made = model(encoder="dense", topics=2)
    made.start(PAIRS, TOKENS, None)
    counts = dense_words().double().numpy()
    texts = np.log1p(counts) * np.log(len(counts) / (counts > 0).sum(0))
    texts /= np.linalg.norm(texts, axis=1, keepdims=True)
    left, _, _ = np.linalg.svd(texts)
    wanted = left[:, :2] / np.linalg.norm(left[:, :2], axis=1, keepdims=True)
    theta = made.encode(words())
    assert theta is not None
    np.testing.assert_allclose(theta @ theta.T, wanted @ wanted.T, atol=1e-4)  # but for its axes


def test_the_topics_can_start_from_lda() -> None:
    made = model()
    found = GivenTopics(
        np.random.default_rng(0).dirichlet(np.ones(6), 4), np.array([0.1, 0.1, 0.2, 0.4])
    )
    made.start(PAIRS, TOKENS, found)
    assert isinstance(made.theta, Vae)
    np.testing.assert_allclose(made.theta.beta().detach().numpy(), found.topics, rtol=1e-4)
    eta = torch.zeros(1, 4)
    prior = made.theta.theta(eta)[0].tolist()
    assert prior == pytest.approx([0.125, 0.125, 0.25, 0.5], abs=1e-5)


def test_the_topics_can_start_from_frequencies() -> None:
    made = model()
    made.start(PAIRS, TOKENS, None)
    beta = made.beta()
    assert beta is not None
    counts = torch.from_numpy(np.asarray(PAIRS.words.sum(0))[0]) + 1
    assert (beta / (counts / counts.sum()) - 1).abs().max() < 0.6
    assert not torch.allclose(beta[0], beta[1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"decoders": ["te-lstn"]},
            f"There is no decoder 'te-lstn'. Decoders: {', '.join(DECODERS)}.",
        ),
        (
            {"theta": "none"},
            "'te-lstm' needs a theta: model.theta = 'none' goes with lstm, alignment, "
            "alignment-mixture.",
        ),
        ({"decoders": ["bag", "bag"]}, "model.decoders = ['bag', 'bag'] names a decoder twice."),
        (
            {"decoders": [], "theta": "none"},
            "model.decoders = [] needs topics: model.theta = 'vae' or 'lda'.",
        ),
        (
            {"decoders": [], "encoder": "dense"},
            "model.decoders = [] needs topics: model.theta = 'vae' or 'lda'.",
        ),
        (
            {"encoder": "dense", "theta": "lda"},
            "research.encoder = 'dense' goes with model.theta = 'vae'.",
        ),
    ],
)
def test_settings_that_make_no_model(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        model(**changes)
    assert str(error.value) == message


def test_an_lstm_can_be_widened_to_the_weights_of_another() -> None:
    config = ModelConfig(topics=50, state=64, embedding=32)
    sizes = Sizes(100, 200, 10)
    wide = widened(config, sizes)
    assert wide.theta == "none" and wide.decoders == ("lstm",) and wide.state > 64
    plain, te = (
        sum(w.numel() for w in JointModel(c, sizes).decoders.parameters()) for c in (wide, config)
    )
    assert plain == pytest.approx(te, rel=0.02)


# -- which decoder does what -------------------------------------------------------------------


def test_the_writer_is_the_first_that_writes_from_topics() -> None:
    made = model(decoders=("alignment", "lstm", "te-lstm", "bag"))
    assert list(made.writers()) == ["te-lstm", "bag"]
    assert made.writer() is made.decoders["te-lstm"]
    assert made.writer("bag") is made.decoders["bag"]
    for name in ("alignment", "lstm"):
        message = f"no decoder '{name}' that writes equations from theta. It has: te-lstm, bag. Tr"
        with pytest.raises(Unsupported, match=message):
            made.writer(name)


def test_without_theta_what_needs_none_writes() -> None:
    made = model(theta="none", decoders=("lstm",))
    assert made.writer(topical=False) is made.decoders["lstm"]
    with pytest.raises(Unsupported, match=r"writes equations from theta. Train one with model.dec"):
        made.writer()
    silent = model(theta="none", decoders=("alignment",))
    with pytest.raises(Unsupported, match=r"writes equations. Train one with model.decoders = "):
        silent.writer(topical=False)


def test_a_model_that_cannot_says_what_to_train() -> None:
    made = model(decoders=("bag",))
    with pytest.raises(Unsupported, match="cannot explain symbols: it has no alignment decoder"):
        made.aligner()
    with pytest.raises(Unsupported, match=r"from theta. Train one with model.decoders = \['te-ls"):
        model(decoders=("alignment",)).writer()


def test_the_aligner_is_the_first_that_aligns() -> None:
    made = model(decoders=("te-lstm", "alignment-mixture", "alignment"))
    assert list(made.aligners()) == ["alignment-mixture", "alignment"]
    assert made.aligner() is made.decoders["alignment-mixture"]
