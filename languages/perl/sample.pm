package Shop::Cart;
use strict;
use constant { LIMIT => 3, RATE => 0.2 };

our $VERSION = '1.0';

has items => sub { [] };

=head2 add

Adds an item.

=cut

sub add {
    my ($self, $item) = @_;
    push @{ $self->items }, $item;
}

# The sum of all prices.
sub total { my $self = shift; return sum(map { $_->price } @{ $self->items }); }

*size = sub { scalar @{ shift->items } };

get '/carts' => sub {
    my $c = shift;
    $c->render(json => []);
};

package Shop::Item {
    sub price { shift->{price} }
}

{
    package Shop::Hidden;
    sub secret { 1 }
}

package main;

my $limit = 3;

my $twice = sub { 2 * shift };

1;

__END__

=head1 NAME

Shop::Cart - what is bought
