from aune.workbench.events import check
from aune.workbench.layer import Undoable, _same, out_of_turn


def refusals(text, state, undoable, event, step):
    turn = out_of_turn(undoable, event)
    if not turn and event.undoes is not None and not _same(event.changes, step(event.undoes).inverse):
        return ["undo"]
    if not turn and event.redoes is not None and not _same(event.changes, step(event.redoes).event.changes):
        return ["redo"]
    return turn or check(text, state, event)


def advanced(undoable, version, event):
    undo, redo = list(undoable.undo), list(undoable.redo)
    if event.undoes is not None:
        redo.append(undo.pop())
    elif event.redoes is not None:
        undo.append(redo.pop())
    else:
        undo.append(version)
        redo.clear()
    return Undoable(undo, redo)
