//! A cart and what is in it.
use std::fmt;

pub mod money;

/// A cart.
#[derive(Debug, Clone)]
pub struct Cart<T> where T: Clone {
    items: Vec<T>,
}

impl<T: Clone> Cart<T> {
    pub const MAX: usize = 10;

    /// Adds an item.
    #[inline]
    pub fn add(&mut self, item: T) -> &mut Self {
        fn log() {}
        log();
        self.items.push(item);
        self
    }
}

impl<T: Clone> fmt::Display for Cart<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} items", self.items.len())
    }
}

impl<'a, T: Clone> IntoIterator for &'a Cart<T> {
    type Item = &'a T;
    fn into_iter(self) -> Self::IntoIter { self.items.iter() }
}

pub trait Shape {
    const SIDES: u8;
    fn area(&self) -> f64;
    fn label(&self) -> String { "shape".into() }
}

pub enum Size { Small, Large(u8) }

pub type Cents = u64;

macro_rules! cents {
    ($euros:expr) => { $euros * 100 };
}

pub(crate) async unsafe fn restock<T>(item: T) -> T where T: Copy {
    item
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test] // slow
    fn adds_an_item() {
        assert_eq!(cents!(1), 100);
    }
}
