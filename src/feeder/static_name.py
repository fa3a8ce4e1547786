"""What is the static model called in an index? Told without a look at the model."""

from feeder.store.index_state import STATIC_MODEL_PREFIX

STATIC_MODEL_SHA256 = "faea3b647497ab4d12f7072dedc2c899243198d508e7157ff9c891640ab67185"
"""Of the file that this version ships."""
STATIC_MODEL_NAME = f"{STATIC_MODEL_PREFIX}{STATIC_MODEL_SHA256[:8]}"
"""The name of the model in an index; one that was trained anew has another."""
