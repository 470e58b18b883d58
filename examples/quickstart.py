"""Ask the pretrained model about one equation: python examples/quickstart.py"""

from topiceq import TopicEq

EQUATION = r"i \hbar \frac{\partial}{\partial t} \Psi = \hat H \Psi"

model = TopicEq.load()  # without a name: the default that comes with the package
topics = model.topics(words=6)

print(f"What is {EQUATION} about?")
theta = model.infer(equation=EQUATION)  # a probability for each topic
for k in theta.argsort()[::-1][:3]:
    print(f"  {theta[k]:4.0%}  {topics[k].label}: {', '.join(topics[k].words)}")

print("\nWhat do its symbols mean?")
for one in model.explain(equation=EQUATION, count=3):
    print(f"  {one.symbol}: {', '.join(phrase.phrase for phrase in one.phrases)}")

best = topics[theta.argmax()]
print(f"\nThree more equations about {best.label}, written by the model:")
for written in model.generate(best.id, count=3, top_p=0.9, seed=1):
    print(f"  {written.equation}")

print("\nThe nearest equations that it knows from articles:")
for near in model.similar(EQUATION, count=3):
    print(f"  {near.score:.2f}  {' '.join(near.equation.split())}  ({near.article})")
