"""Makes the recording that the tests read: python3 build/capture/tiny.py OUT.zip

A network of three layers with Adam on a CPU: three steps warm up, two are recorded.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "public"))

import torch  # noqa: E402

import capture  # noqa: E402

BATCH = 16


def network():
    """The model, its optimizer, and the function that makes a step."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(
        torch.nn.Linear(32, 64), torch.nn.BatchNorm1d(64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def train_step():
        samples, labels = torch.randn(BATCH, 32), torch.randint(8, (BATCH,))
        loss = torch.nn.functional.cross_entropy(model(samples), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return model, optimizer, train_step


if __name__ == "__main__":
    model, optimizer, train_step = network()
    capture.capture(train_step, model, optimizer, out=sys.argv[1], batch=BATCH, cpu=True)
